import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { BUNDLE, type ServerProcess, startServer } from '../test/server-process.ts'
import type { Usage } from './probe.ts'

/** One file of this folder each. Bounded in time; `quick` shows that it runs; it gives no figures. */
export interface Benchmark {
  name: string
  /** Too long for a run of everything. */
  onlyByName?: boolean
  /** `server`: the folder of another checkout, whose server is to be measured, where the benchmark allows that. */
  run(options: { quick: boolean; server?: string | undefined }): Promise<Result[]>
}

export type Result = Comparison | Figure | Finding

/** One quantity measured alternately on two sides; the result is the ratio of each pair. */
export interface Comparison {
  kind: 'comparison'
  what: string
  unit: string
  /** Of each slice, in order. */
  subject: number[]
  reference: number[]
  /** Of the ratio subject / reference. */
  aim?: { atMost: number } | { atLeast: number }
}

/** A measurement, beside its baseline. */
export interface Figure {
  kind: 'figure'
  what: string
  value: string
  against: string
}

/** A statement that is true or false on every machine. */
export interface Finding {
  kind: 'finding'
  what: string
  value: string
  aim: string
  met: boolean
}

/** The environment that `npm start` sets. */
export const AS_STARTED = { MALLOC_MMAP_THRESHOLD_: '262144' }

const PROBE = fileURLToPath(new URL('./probe.ts', import.meta.url))
const BARE_HUB = fileURLToPath(new URL('./bare-hub.ts', import.meta.url))
const LEAST_HUB = fileURLToPath(new URL('./least-hub.ts', import.meta.url))

/** A server that can be asked what it uses. */
export interface MeasuredServer extends ServerProcess {
  usage(options?: { afterGc: boolean }): Promise<Usage>
}

/** Starts a server on a folder; `env` names what it shares with others. The default of `port` is a free one. */
export type Start = (dataDir: string, env?: Record<string, string>, port?: number) => Promise<MeasuredServer>

export const startProduct: Start = (dataDir, env = {}, port) =>
  startMeasured({ dataDir, env, port, entry: BUNDLE })

export const startBareHub: Start = (dataDir, env = {}, port) =>
  startMeasured({ dataDir, env, port, entry: BARE_HUB })

export const startLeastHub: Start = (dataDir, env = {}) => startMeasured({ dataDir, env, entry: LEAST_HUB })

export async function startMeasured(options: {
  dataDir: string
  entry?: string
  env?: Record<string, string>
  port?: number | undefined
}): Promise<MeasuredServer> {
  const server = await startServer({ ...options, execArgv: ['--import', PROBE] })
  return {
    ...server,
    async usage({ afterGc } = { afterGc: false }) {
      const answer = once(server.child, 'message')
      server.child.send(afterGc ? 'usage after gc' : 'usage')
      const [usage] = (await answer) as [Usage]
      return usage
    },
  }
}

/**
 * Measures sides in turn, in the order given, so that other load on the machine affects all. A first round is
 * discarded, so that code is compiled and caches are warm.
 */
export async function alternate<T, Side extends string>(
  slices: number,
  sides: Record<Side, () => Promise<T>>,
): Promise<Record<Side, T[]>> {
  const names = Object.keys(sides) as Side[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, T[]>
  for (const name of names) await sides[name]()
  for (let slice = 0; slice < slices; slice++) {
    for (const name of names) results[name].push(await sides[name]())
  }
  return results
}

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  if (value === undefined) throw new Error('a quantile of nothing')
  return value
}

/** The results of a benchmark that this machine cannot run. */
export function leftOut(benchmark: string, lacks: string): [] {
  console.error(`LEFT OUT: ${benchmark}: ${lacks}`)
  return []
}
