import type { Plugin, UserConfig } from 'vite'

/**
 * Bundles the server for `npm start`, which then reads a few files instead of 1,400 and strips no types. The
 * fault tests, the browser tests and the benchmarks run the bundle; everything else runs from the sources. See docs/decisions/0041-server-bundle.md.
 */
export default {
  appType: 'custom',
  publicDir: false,
  plugins: [asciiOnly()],
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

/** V8 keeps a source with a single character beyond Latin-1 in twice the memory. */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        chunk.code = chunk.code.replace(/\P{ASCII}/gu, escapeCharacter)
      }
    },
  }
}

function escapeCharacter(character: string): string {
  const units = character.split('')
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
