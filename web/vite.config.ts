import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { budget } from './build/budget.ts'
import { precompress } from './build/precompress.ts'

const root = import.meta.dirname
const router = join(root, '../node_modules/react-router/dist/production')

export default defineConfig(({ command, isSsrBuild }) => ({
  root,
  appType: 'custom',
  plugins: [react(), precompress(), budget()],
  resolve: {
    // The package's exports always lead to its development build, which carries warnings that nobody sees.
    alias:
      command === 'build'
        ? [
            { find: /^react-router$/, replacement: join(router, 'index.mjs') },
            { find: /^react-router\/dom$/, replacement: join(router, 'dom-export.mjs') },
          ]
        : [],
  },
  ssr: { noExternal: command === 'build' ? true : undefined },
  define: isSsrBuild ? { 'process.env.NODE_ENV': '"production"' } : {},
  build: isSsrBuild
    ? { outDir: 'dist/server', target: 'node24', minify: false, emptyOutDir: true, copyPublicDir: false }
    : {
        outDir: 'dist/client',
        target: 'es2022',
        manifest: true,
        emptyOutDir: true,
        modulePreload: { polyfill: false },
        // A data: URL would need its own permission in the Content-Security-Policy.
        assetsInlineLimit: 0,
      },
}))
