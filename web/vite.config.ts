import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { budget, FRAME, loaderBudget } from './build/budget.ts'
import { cardsAndIcons } from './build/cards-and-icons.ts'
import { LOADER_BUILD } from './build/loader.ts'
import { lowPriorityScripts } from './build/low-priority-scripts.ts'
import { markdown } from './build/markdown.ts'
import { pageCode } from './build/page-code.ts'
import { precompress } from './build/precompress.ts'
import { preloadFont } from './build/preload-font.ts'
import { serviceWorker } from './build/service-worker.ts'
import { websocketOnly } from './build/websocket-only.ts'

const root = import.meta.dirname
const router = join(root, '../node_modules/react-router/dist/production')

/** `vite build` makes both bundles: the client's, and the one that the API renders pages with. */
export default defineConfig(({ command }) => ({
  root,
  appType: 'custom',
  plugins: [
    react(),
    markdown(),
    cardsAndIcons(),
    preloadFont(),
    pageCode(),
    websocketOnly(),
    lowPriorityScripts(),
    serviceWorker(),
    precompress(),
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
      build: {
        outDir: 'dist/client',
        target: 'es2022',
        manifest: true,
        modulePreload: { polyfill: false },
        // A data: URL would need its own permission in the Content-Security-Policy.
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: [join(root, 'index.html'), join(root, FRAME)],
          output: {
            // What every page needs, in three files: chunks of a few hundred bytes would cost a request each.
            codeSplitting: {
              groups: [
                // With what the frame of a site shares with them. It has no router.
                {
                  name: 'react',
                  test: /node_modules[\\/](react|react-dom|scheduler|zustand)[\\/]|src[\\/]lib[\\/](api|browser-storage|embedded-site|live-chat-store|outdated-page|page-state|server-clock|visited-page)\.|src[\\/]content[\\/]with-brand|shared[\\/]src[\\/](errors|paths|limits|embed|message-summary|iso-time|fields[\\/](text|contact|profile|name))\.|vite[\\/]preload-helper/,
                  priority: 2,
                },
                {
                  name: 'router',
                  test: /node_modules[\\/](react-router|react-router-dom)[\\/]/,
                  priority: 2,
                },
                // What files of messages need, in one file: each name of a file is part of what loads it.
                {
                  name: 'files',
                  test: /src[\\/](chat[\\/](engine[\\/](conversation-files|uploads)|view[\\/](files[\\/](?!attach)|stopped)|words[\\/]en\.ts\?files)|lib[\\/]send-form)/,
                  includeDependenciesRecursively: false,
                  priority: 1,
                },
                // The card, with the quick replies that the panel shows too.
                {
                  name: 'card',
                  test: /src[\\/]chat[\\/]widget[\\/](card|covers-content|quick-replies)\./,
                  includeDependenciesRecursively: false,
                  priority: 1,
                },
                // What the open panel needs later, in one file: small ones compress worse, and bad networks lose some.
                {
                  name: 'chat-later',
                  test: /src[\\/]chat[\\/](widget[\\/](adopt-visitor|chat-dialog|chat-form|conversation-page|erase-dialog|failure-text|more-menu|profile[\\/](?!use-)|rating)|language[\\/]choose-language|words[\\/]en\.ts\?later)/,
                  includeDependenciesRecursively: false,
                  priority: 1,
                },
                { name: 'site', test: /src[\\/]routes\.tsx$/, priority: 1 },
                // What the launcher shares with the panel, or it would load the panel's files.
                {
                  name: 'launcher',
                  test: /src[\\/]chat[\\/](language[\\/]language\.|words[\\/]en\.ts\?launcher|widget[\\/](after-frame|launcher|sheet-history))/,
                  includeDependenciesRecursively: false,
                  priority: 1,
                },
                // One file with what the dashboard shares: several compress worse.
                {
                  name: 'chat',
                  test: /src[\\/](chat[\\/](engine[\\/](?!admin-|socket-io|conversation-files|uploads)|view[\\/](?!files[\\/]|stopped)|alerts[\\/](?!tab-title)|language[\\/]plural)|components[\\/](toast\.|use-media)|lib[\\/]error-message)/,
                  priority: 0,
                },
                // What the group above takes of it stays in one file with it.
                {
                  name: 'panel',
                  test: /src[\\/]chat[\\/](widget[\\/]|language[\\/]back-text\.ts$|words[\\/]en\.ts\?panel)/,
                  includeDependenciesRecursively: false,
                  priority: 0,
                },
                // The same for what only dashboard pages share.
                {
                  name: 'dashboard',
                  test: /@tanstack[\\/](react-query|query-core)[\\/](?!.*(useMutation|mutationObserver))|src[\\/]dashboard[\\/](ui[\\/](empty-state|load-failed|loading|on-demand|page-heading|query-client|search-field|shortcuts|team|use-close-on-back)|chats[\\/](changes[\\/]snooze-times|live[\\/](update-marks|use-has-messages|visitor-name))|reviews[\\/]reviews)\./,
                  priority: 0,
                },
                // And what most of them load with a form or a dialog.
                {
                  name: 'forms',
                  test: /src[\\/]dashboard[\\/]ui[\\/](ask-before-leaving|conflict|dialog|dialog-end|field|form-draft|submit-button)\./,
                  includeDependenciesRecursively: false,
                  priority: 0,
                },
              ],
            },
          },
        },
      },
    },
    // The script of other websites' pages, which the server completes and compresses for each.
    loader: {
      consumer: 'client',
      build: {
        ...LOADER_BUILD,
        outDir: 'dist/loader',
      },
    },
    ssr: {
      // Selects React's production build.
      define: command === 'build' ? { 'process.env.NODE_ENV': '"production"' } : {},
      // One bundle that needs no node_modules. In development Node loads packages itself.
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
