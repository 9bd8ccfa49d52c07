/**
 * Load this module with `--import`: it instruments the product and the packages that parse what strangers send, while
 * they are loaded.
 *
 * @see docs/decisions/0132-fuzzing.md
 */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { type Coverage, createCoverage } from './coverage-map.ts'
import { COUNTERS, instrument, wordsIn } from './instrument.ts'

const PRODUCT = /\/(?:api|shared)\/src\/[^?]*\.ts$/
const PARSERS =
  /\/node_modules\/(?:postal-mime|htmlparser2|chardet|@fastify\/(?:busboy|multipart)|saxes|css-tree|engine\.io|engine\.io-parser|socket\.io|socket\.io-parser|secure-json-parse)\//
/** Four times as many as there are. */
const COUNTERS_MAX = 1 << 18

const counters = new Uint8Array(COUNTERS_MAX)
const words = new Set<string>()
let used = 0
Object.defineProperty(globalThis, COUNTERS, { value: counters })

// Threads have globals of their own.
if (isMainThread) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const { format, source } = loaded
      const isCode = /^(?:module|commonjs)/.test(format ?? '') && source != null
      if (!isCode || !(PRODUCT.test(url) || PARSERS.test(url))) return loaded
      const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()
      for (const word of wordsIn(text)) words.add(word)
      return { ...loaded, source: instrument(fileURLToPath(url), text, () => used++) }
    },
  })
}

export const coverage: Coverage = createCoverage(
  counters,
  () => used,
  () => [...words],
)
