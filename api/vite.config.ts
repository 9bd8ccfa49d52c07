import type { UserConfig } from 'vite'
import { asciiOnly } from '../shared/vite/ascii-only.ts'
import { shippedTexts } from './vite-texts.ts'

/**
 * Bundles the server for `npm start`, which then reads a few files instead of 1,400 and strips no types. The
 * fault tests, the browser tests and the benchmarks run the bundle; everything else runs from the sources. See docs/decisions/0041-server-bundle.md.
 */
export default {
  appType: 'custom',
  publicDir: false,
  plugins: [shippedTexts(), asciiOnly()],
  ssr: {
    noExternal: true,
    // With native code or files of their own, or not needed on most servers.
    external: ['sharp', '@node-rs/argon2', '@fastify/swagger-ui', 'mongodb', 'nodemailer', 'imapflow'],
  },
  build: {
    ssr: 'src/server.ts',
    outDir: 'dist',
    target: 'node24',
    // Readable, and with maps for `NODE_OPTIONS=--enable-source-maps`, which costs a fifth of the start.
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // A megabyte of the packages' documentation.
        comments: { jsdoc: false },
        codeSplitting: { groups: [{ name: 'packages', test: /node_modules/, entriesAware: true }] },
      },
    },
  },
} satisfies UserConfig
