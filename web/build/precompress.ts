import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(css|js|json|svg|txt|wasm)$/
/** Below this size, compression saves fewer bytes than its header costs. */
const WORTH_IT_BYTES = 512

/** Puts a `.br` and a `.gz` file beside each of the pages' and the frame's text files. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    applyToEnvironment: ({ name }) => ['client', 'frame'].includes(name),
    writeBundle() {
      const { root, build } = this.environment.config
      const outDir = join(root, build.outDir)
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const file = join(outDir, name)
        if (!COMPRESSIBLE.test(name) || name.startsWith('.vite') || !statSync(file).isFile()) continue
        const content = readFileSync(file)
        if (content.length < WORTH_IT_BYTES) continue
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
        )
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}
