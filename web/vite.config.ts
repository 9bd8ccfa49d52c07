import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { type BuildEnvironmentOptions, defineConfig } from 'vite'
import { asciiOnly } from '../shared/vite/ascii-only.ts'
import { budget, loaderBudget } from './build/budget.ts'
import { cardsAndIcons } from './build/cards-and-icons.ts'
import { FRAME_CHUNKS, PAGE_CHUNKS } from './build/chunks.ts'
import { icons } from './build/icons.ts'
import { loadedBefore, resolveDependencies } from './build/loaded-before.ts'
import { LOADER_BUILD } from './build/loader.ts'
import { lowPriorityScripts } from './build/low-priority-scripts.ts'
import { pageCode } from './build/page-code.ts'
import { precompress } from './build/precompress.ts'
import { preloadFont } from './build/preload-font.ts'
import { serviceWorker } from './build/service-worker.ts'
import { unusedRouterParts } from './build/unused-router-parts.ts'
import { websocketOnly } from './build/websocket-only.ts'
import { words } from './build/words.ts'

const root = import.meta.dirname
const router = join(root, '../node_modules/react-router/dist/production')

const CLIENT_BUILD: BuildEnvironmentOptions = {
  target: 'es2022',
  manifest: true,
  modulePreload: { polyfill: false, resolveDependencies },
  // A data: URL would need its own permission in the Content-Security-Policy.
  assetsInlineLimit: 0,
}

/** The names of files, with short hashes, because other files contain them. */
const FILE_NAMES = {
  entryFileNames: 'assets/[name]-[hash:7].js',
  chunkFileNames: 'assets/[name]-[hash:7].js',
  assetFileNames: 'assets/[name]-[hash:7][extname]',
}

/** `vite build` makes all bundles: three for browsers, and one with which the API renders pages. */
export default defineConfig(({ command }) => ({
  root,
  appType: 'custom',
  plugins: [
    react(),
    icons(),
    words(),
    cardsAndIcons(),
    preloadFont(),
    pageCode(),
    websocketOnly(),
    unusedRouterParts(),
    lowPriorityScripts(),
    serviceWorker(),
    precompress(),
    asciiOnly(),
    loadedBefore(),
    budget(),
    loaderBudget(),
  ],
  resolve: {
    // The package's exports always resolve to its development build. See docs/decisions/0010-pages-in-memory.md.
    alias:
      command === 'build'
        ? [
            { find: /^react-router$/, replacement: join(router, 'index.mjs') },
            { find: /^react-router\/dom$/, replacement: join(router, 'dom-export.mjs') },
          ]
        : [],
  },
  builder: {},
  environments: {
    client: {
      // This drops what only the frame needs. In development both are one build, and the address makes the difference.
      define: command === 'build' ? { 'import.meta.env.MAY_BE_FRAME': 'false' } : {},
      build: {
        ...CLIENT_BUILD,
        outDir: 'dist/client',
        rolldownOptions: {
          input: join(root, 'index.html'),
          output: {
            ...FILE_NAMES,
            codeSplitting: { groups: PAGE_CHUNKS },
          },
        },
      },
    },
    // This environment builds the page that shows the chat on other websites.
    frame: {
      consumer: 'client',
      build: {
        ...CLIENT_BUILD,
        outDir: 'dist/frame',
        copyPublicDir: false,
        rolldownOptions: {
          input: join(root, 'frame.html'),
          output: { ...FILE_NAMES, codeSplitting: { groups: FRAME_CHUNKS } },
        },
      },
    },
    // This environment builds the script for other websites' pages, which the server completes and compresses for each
    // site.
    loader: {
      consumer: 'client',
      build: {
        ...LOADER_BUILD,
        outDir: 'dist/loader',
      },
    },
    ssr: {
      // This selects React's production build.
      define: command === 'build' ? { 'process.env.NODE_ENV': '"production"' } : {},
      // The bundle needs no node_modules. In development, Node loads packages itself.
      resolve: { noExternal: command === 'build' ? true : [] },
      build: {
        outDir: 'dist/server',
        target: 'node24',
        ssr: true,
        minify: false,
        copyPublicDir: false,
        rolldownOptions: { input: join(root, 'src/entry-server.tsx') },
      },
    },
  },
}))
