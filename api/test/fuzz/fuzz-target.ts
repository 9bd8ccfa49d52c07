/**
 * Fuzzes one target in a process of its own, which `run.ts` starts with the instrumentation, and writes its report to a
 * file. A watchdog ends the process when an input never ends or takes too much memory.
 */
import { ftruncateSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createRandom } from '../faults/random.ts'
import { coverage } from './coverage.ts'
import { type Fuzzed, fuzz, minimized, observe, smallestCover, type Target } from './loop.ts'
import { createByteMutator } from './mutate.ts'
import { createJsonMutator } from './mutate-json.ts'

/** What `targets/NAME.ts` exports. */
export interface TargetModule {
  open(): Promise<Target>
  /** Words of the format, besides the strings in the product's sources. */
  words?: readonly string[]
  /** Whether the lines of an input contain JSON. */
  isJson?: boolean
  /** Longer inputs are cut, because most of what they reach short ones reach sooner. */
  bytesMax?: number
  /** Of the kept corpus. All of them together stay below 100 KB. */
  keptBytesMax?: number
}

export interface Work {
  name: string
  seed: number
  seconds: number
  /** An input to run alone. */
  replay?: string | undefined
  /** Whether to return the smallest corpus that reaches as much. */
  isKept: boolean
  /** The file that holds the input which runs now. */
  current: string
  /** The file that gets the report. */
  report: string
}

export interface Report extends Pick<Fuzzed, 'runs' | 'blocks'> {
  blocksOfAll: number
  /** In base64. */
  corpus: string[]
  found: { input: string; message: string; isRepeatable: boolean } | null
  seconds: number
}

const BYTES_MAX = 8 * 1_024
const KEPT_BYTES_MAX = 9 * 1_024
const MINIMIZING_MS = 20_000

export const corpusDir = (name: string) => join(import.meta.dirname, 'corpus', name)

const work: Work = JSON.parse(process.argv[2] ?? '')
const module: TargetModule = await import(`./targets/${work.name}.ts`)
const opened = await module.open()
const { name, seed, seconds, replay } = work
const { keptBytesMax = KEPT_BYTES_MAX } = module

const runs = new Int32Array(new SharedArrayBuffer(4))
const watchdog = new Worker(new URL('watchdog.ts', import.meta.url), { workerData: runs, execArgv: [] })
watchdog.unref()

const current = openSync(work.current, 'w')
const target: Target = {
  ...opened,
  run(input) {
    ftruncateSync(current)
    writeSync(current, input, 0, input.length, 0)
    Atomics.add(runs, 0, 1)
    return opened.run(input)
  },
}

const from = performance.now()
const fuzzed = replay === undefined ? await fuzzAll() : await runOne(readFileSync(replay))
const report: Report = {
  ...{ runs: fuzzed.runs, blocks: fuzzed.blocks, blocksOfAll: coverage.blocks() },
  seconds: (performance.now() - from) / 1_000,
  corpus: (work.isKept
    ? await smallestCover({ target, coverage }, fuzzed.corpus, keptBytesMax)
    : fuzzed.corpus
  ).map((input) => input.toString('base64')),
  found: fuzzed.found && (await reported(fuzzed.found)),
}
await target.close()
writeFileSync(work.report, JSON.stringify(report))
// A socket or a timer of the product could keep the process.
process.exit()

function fuzzAll(): Promise<Fuzzed> {
  const { words = [], isJson = false, bytesMax = BYTES_MAX } = module
  const random = createRandom(seed, name)
  // The words of the format are a tenth of all words.
  const all = [
    ...coverage.words(),
    ...Array(Math.ceil(coverage.words().length / 10))
      .fill(words)
      .flat(),
  ]
  const inBytes = createByteMutator(random, all, bytesMax)
  const mutate = isJson ? createJsonMutator(random, all, bytesMax, inBytes) : inBytes
  const dir = corpusDir(name)
  const corpus = readdirSync(dir)
    .sort()
    .map((file) => readFileSync(join(dir, file)))
  return fuzz({ target, coverage, random, mutate, corpus, ms: seconds * 1_000 })
}

async function runOne(input: Buffer): Promise<Fuzzed> {
  const { error } = await observe({ target, coverage }, input)
  if (error !== null) console.log(inspect(error))
  return { runs: 1, blocks: 0, corpus: [], found: error && { input, error } }
}

/** Fuzzing found it after thousands of other inputs, so it may need what they left behind. */
async function reported({ input, error }: NonNullable<Fuzzed['found']>): Promise<Report['found']> {
  const kindOf = ({ message }: Error) => message.replace(/\d+/g, '0').slice(0, 100)
  const isSame = async (smaller: Buffer) => {
    const { error: other } = await observe({ target, coverage }, smaller)
    return other !== null && kindOf(other) === kindOf(error)
  }
  const isRepeatable = replay === undefined && (await isSame(input))
  const smallest = isRepeatable ? await minimized(input, isSame, MINIMIZING_MS) : input
  return { input: smallest.toString('base64'), message: inspect(error), isRepeatable }
}
