import { performance } from 'node:perf_hooks'
import type { Random } from '../faults/random.ts'
import type { Coverage } from './coverage-map.ts'
import type { Mutator } from './mutate.ts'

/** What a stranger can send, and what must hold whatever it is. */
export interface Target {
  /** Prepares the next run. Its time does not count, and neither does the code that it reaches. */
  beforeRun?(): Promise<void>
  /** Handles an input as the product does, and throws if the product breaks a promise. Returns what else is new about it. */
  run(input: Buffer): Promise<readonly string[] | undefined>
  /** Milliseconds of processor time that an input of this many bytes may take. */
  cpuMsMax?(bytes: number): number
  close(): Promise<void>
}

/** An input with which the product broke a promise. */
export interface Found {
  input: Buffer
  error: Error
}

interface Fuzzing {
  target: Target
  coverage: Coverage
  random: Random
  mutate: Mutator
  /** Inputs from which to begin. */
  corpus: readonly Buffer[]
  /** The fuzzing ends after this many milliseconds, or after this many runs, whichever comes first. */
  ms: number
  runs?: number
}

export interface Fuzzed {
  runs: number
  /** The blocks that ran. */
  blocks: number
  /** The inputs that reached something new, in the order in which they were found. */
  corpus: Buffer[]
  found: Found | null
}

/** A program's first runs are slow, and the collection of garbage can take this long. */
const CPU_MS_MAX = 400
const CPU_MS_MAX_PER_KB = 10
/** An input that was too slow is measured again, because the processor's caches and other work count too. */
const MEASURED_AGAIN = 3
const FEATURES_OF_BLOCK = 8
/** A file costs more than its bytes. */
const FILE_BYTES = 500
/** Of one target's kept corpus. */
const FILES_MAX = 40

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype]
const ownKeys = prototypes.flatMap((each) => Reflect.ownKeys(each)).length

/**
 * Runs the corpus, and then inputs that differ a little from the corpus. An input that reaches a new block, or a block
 * more often than before, joins the corpus. Ends with the first input with which the target fails.
 */
export async function fuzz(fuzzing: Fuzzing): Promise<Fuzzed> {
  const { random, mutate, corpus: seeds, runs: runsMax = Number.POSITIVE_INFINITY } = fuzzing
  const seen = new Set<number | string>()
  const blocks = new Set<number>()
  const corpus: Buffer[] = []
  const until = performance.now() + fuzzing.ms
  let runs = 0

  async function take(input: Buffer, isKept: boolean): Promise<Found | null> {
    runs += 1
    const { error, features } = await observe(fuzzing, input)
    if (error !== null) return { input, error }
    const unseen = features.filter((feature) => !seen.has(feature))
    for (const feature of unseen) seen.add(feature)
    // Timers reach code too, but hardly twice during the same input.
    const again = unseen.length === 0 ? null : await observe(fuzzing, input)
    const repeated = new Set(again?.features)
    const reached = unseen.filter((feature) => typeof feature === 'string' || repeated.has(feature))
    for (const feature of reached) {
      if (typeof feature === 'number') blocks.add(Math.floor(feature / FEATURES_OF_BLOCK))
    }
    if (isKept || reached.length > 0) corpus.push(input)
    return again?.error ? { input, error: again.error } : null
  }

  /** The newest inputs lead on most often, and short ones cost least. */
  function pick(): Buffer {
    const newer = corpus[Math.floor(random.next() ** 0.5 * corpus.length)] as Buffer
    const any = random.pick(corpus)
    return random.chance(0.75) || newer.length < any.length ? newer : any
  }

  let found: Found | null = null
  for (const input of seeds) found ??= await take(input, true)
  if (corpus.length === 0) found ??= await take(Buffer.from('\n'), true)
  while (found === null && performance.now() < until && runs < runsMax) {
    found = await take(mutate(pick(), random.pick(corpus)), false)
  }
  return { runs, blocks: blocks.size, corpus, found }
}

/** Runs one input, and waits for what it began. */
export async function observe(
  { target, coverage }: Pick<Fuzzing, 'target' | 'coverage'>,
  input: Buffer,
): Promise<{ error: Error | null; features: (number | string)[] }> {
  let error: Error | null = null
  const onUncaught = (reason: unknown) => {
    error = new Error(`Uncaught: ${messageOf(reason)}`, { cause: reason })
  }
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  await target.beforeRun?.()
  coverage.reset()
  let more: readonly string[] | undefined
  try {
    const ms = await cpuMsOf(async () => {
      more = await target.run(input)
    })
    const max = target.cpuMsMax?.(input.length) ?? CPU_MS_MAX + (CPU_MS_MAX_PER_KB * input.length) / 1_024
    if (ms > max && (await isSlow(target, input, max))) {
      error = new Error(`Slow: more than ${Math.round(max)} ms of processor time for ${input.length} bytes.`)
    }
  } catch (thrown) {
    error = thrown instanceof Error ? thrown : new Error(`Thrown: ${messageOf(thrown)}`)
  }
  const features = coverage.features()
  // Node reports a rejection that no one handles only when it comes back to its event loop.
  await new Promise(setImmediate)
  const added = prototypes.flatMap((each) => Reflect.ownKeys(each)).length - ownKeys
  if (added !== 0) error = new Error('A prototype was changed.')
  process.off('uncaughtException', onUncaught)
  process.off('unhandledRejection', onUncaught)
  return { error, features: more === undefined ? features : [...features, ...more] }
}

async function isSlow(target: Target, input: Buffer, max: number): Promise<boolean> {
  for (let time = 0; time < MEASURED_AGAIN; time += 1) {
    if ((await cpuMsOf(async () => void (await target.run(input)))) <= max) return false
  }
  return true
}

async function cpuMsOf(run: () => Promise<void>): Promise<number> {
  const from = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}

const messageOf = (reason: unknown) =>
  reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)

/** Removes pieces of the input, larger ones first, while `isSame` holds of the rest. Gives up after `ms`. */
export async function minimized(
  input: Buffer,
  isSame: (input: Buffer) => Promise<boolean>,
  ms: number,
): Promise<Buffer> {
  const until = performance.now() + ms
  let smallest = input
  for (let size = Math.ceil(input.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && performance.now() < until; ) {
      const rest = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)])
      if (await isSame(rest)) smallest = rest
      else at += size
    }
  }
  return smallest
}

/**
 * Returns inputs that together reach what all of them reach, as far as `bytesMax` allows: again and again the one that
 * reaches most for its bytes.
 */
export async function smallestCover(
  { target, coverage }: Pick<Fuzzing, 'target' | 'coverage'>,
  inputs: readonly Buffer[],
  bytesMax: number,
): Promise<Buffer[]> {
  let left: { input: Buffer; reached: (number | string)[] }[] = []
  for (const input of inputs) {
    const { error, features } = await observe({ target, coverage }, input)
    // How often a block ran does not count here, or the corpus would be several times as large.
    const reached = features.map((each) =>
      typeof each === 'number' ? Math.floor(each / FEATURES_OF_BLOCK) : each,
    )
    if (error === null) left.push({ input, reached: [...new Set(reached)] })
  }
  const kept: Buffer[] = []
  const worth = ({ input, reached }: (typeof left)[number]) => reached.length / (input.length + FILE_BYTES)
  for (let bytes = 0; ; ) {
    left = left.filter(({ input, reached }) => reached.length > 0 && bytes + input.length <= bytesMax)
    const [best] = left.toSorted((a, b) => worth(b) - worth(a))
    if (best === undefined || kept.length === FILES_MAX) return kept
    kept.push(best.input)
    bytes += best.input.length
    const seen = new Set(best.reached)
    left = left.map(({ input, reached }) => ({ input, reached: reached.filter((each) => !seen.has(each)) }))
  }
}
