/**
 * Simulates the product in one process, with a clock, a network, and chance that follow from a seed: people write with
 * the browser's chat engine to a server that fails. A seed that finds a violation is run again with fewer and fewer
 * faults, and the command for the shortest run is printed.
 *
 *   npm run simulate -- [--seed N] [--seeds N] [--seconds N] [--steps N] [--forever] [--faults 1,2,3] [--json] [--trace]
 *
 * Without `--seed`, the seeds are other ones each day. A run of one seed is repeated to the byte by the same command.
 * `--steps` says how many steps have faults. `--faults` allows only the faults with these numbers, or `none`. `--json` prints one
 * line for each seed. `--trace` prints everything that happens.
 *
 *   npm run simulate -- --webhooks [--seed N] [--seeds N] [--without RULE]
 *
 * Simulates only the delivery of webhooks, on two nodes whose calls of the store run in any order, on 4,000 seeds. Then
 * it visits all states of the models of events: their numbers, claims, and delivery.
 * `--without` prints the shortest way in which they go wrong without one of their rules.
 *
 *   npm run simulate -- --figures [--seed N] [--seeds N]
 *
 * Simulates only the figures of reports, on two nodes that die between any two writes, on 500 seeds.
 *
 *   npm run simulate -- --known-faults
 *
 * Puts back each fault of `known-faults.ts`, one at a time, in memory, and runs the seed that finds it. Exits with 1 if
 * the simulation does not find one, or if the code that mended it is no longer there. `--put-back COMMIT`, with any of
 * the options above, runs with one of these faults.
 */
import './product/replaced-modules.ts'
import { parseArgs } from 'node:util'
import type { Found } from './delivery.ts'
import { KNOWN_FAULTS } from './known-faults.ts'
import type { Outcome } from './product/simulate.ts'
import { find, putBack } from './put-back.ts'

const STEPS = 10_000
const SECONDS = 60
const SHRINK_MS = 120_000
const WEBHOOK_SEEDS = 4_000
const FIGURE_SEEDS = 500
const TOLD_MAX = 80

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    seconds: { type: 'string' },
    steps: { type: 'string' },
    faults: { type: 'string' },
    forever: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    webhooks: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
    without: { type: 'string' },
    'known-faults': { type: 'boolean', default: false },
    'put-back': { type: 'string' },
  },
})

function wholeNumber(name: 'seed' | 'seeds' | 'seconds' | 'steps'): number | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number.`)
  return Number(text)
}

if (options['put-back'] !== undefined) putBack(options['put-back'])
const run = options['known-faults']
  ? findKnownFaults
  : options.webhooks
    ? simulateWebhooks
    : options.figures
      ? simulateFigures
      : simulateSeeds
process.exit((await run()) ? 1 : 0)

/** Returns whether one is not found. */
async function findKnownFaults(): Promise<boolean> {
  let missed = 0
  for (const fault of KNOWN_FAULTS) {
    const found = await find(fault)
    const { commit, steps } = fault
    console.log(`${commit} ${fault.fault}`)
    if ('problem' in found) {
      missed += 1
      console.log(`  not found: ${found.problem}`)
    } else {
      const how = steps === null ? '--webhooks' : `--steps ${steps}`
      console.log(`  found by --put-back ${commit} ${how} --seed ${found.seed}: ${fault.says}`)
    }
  }
  console.log(`${KNOWN_FAULTS.length - missed} of ${KNOWN_FAULTS.length} known faults are found.`)
  return missed > 0
}

/** Null allows all of them. */
function allowedFaults(text: string | undefined): ReadonlySet<number> | null {
  if (text === undefined) return null
  return new Set(text === 'none' ? [] : text.split(',').map(Number))
}

async function simulateSeeds(): Promise<boolean> {
  const { simulateProduct } = await import('./product/simulate.ts')
  const seed = wholeNumber('seed')
  const first = seed ?? Number(new Date().toISOString().slice(0, 10).replaceAll('-', '')) * 1_000
  const count = wholeNumber('seeds') ?? (seed === undefined ? Infinity : 1)
  const steps = wholeNumber('steps') ?? STEPS
  const seconds = options.forever
    ? Infinity
    : (wholeNumber('seconds') ?? (seed === undefined ? SECONDS : Infinity))
  const faults = allowedFaults(options.faults)
  const from = performance.now()
  const elapsed = () => (performance.now() - from) / 1_000
  let total = 0
  let done = 0
  let failed: Outcome | null = null
  for (let each = first; done < count && elapsed() < seconds && failed === null; each += 1) {
    const began = performance.now()
    const onLine = options.trace ? (line: string) => console.log(line) : null
    const outcome = await simulateProduct({ seed: each, steps, faults, onLine })
    total += outcome.steps
    done += 1
    tell(outcome, steps, (performance.now() - began) / 1_000)
    if (outcome.violations.length > 0) failed = outcome
  }
  const rate = Math.round(total / elapsed())
  if (!options.json)
    console.log(
      `${done} seeds from ${first}, ${total} steps, ${rate} a second, ${failed === null ? 0 : 1} failed.`,
    )
  if (failed !== null && faults === null && !options.json) await shorten(failed, steps)
  return failed !== null
}

function tell(outcome: Outcome, wanted: number, seconds: number): void {
  const { seed, steps, violations, trace } = outcome
  if (options.json) console.log(JSON.stringify({ seed, steps, seconds, violations, trace }))
  for (const violation of options.json ? [] : violations)
    console.log(`npm run simulate -- --seed ${seed} --steps ${wanted}: ${violation}`)
}

async function shorten(failed: Outcome, steps: number): Promise<void> {
  const { shrink } = await import('./product/shrink.ts')
  const { seed, faults, violations } = await shrink({ ...failed, steps }, SHRINK_MS)
  console.log(`With ${faults.length} faults of ${failed.faults.length}:`)
  console.log(
    `npm run simulate -- --seed ${seed} --steps ${steps} --faults ${faults.length === 0 ? 'none' : faults} --trace`,
  )
  for (const violation of violations) console.log(violation)
}

async function simulateWebhooks(): Promise<boolean> {
  const { simulateDelivery } = await import('./delivery.ts')
  const { SMALL, LARGE, exploreWithout } = await import('./event-models.ts')
  if (options.without !== undefined) {
    for (const line of exploreWithout(options.without)) console.log(line)
    return true
  }
  let failed = await runEach(simulateDelivery, WEBHOOK_SEEDS)
  const models = options.seed === undefined ? Object.entries({ ...SMALL, ...LARGE }) : []
  for (const [name, explored] of models) {
    const { states, violation } = explored()
    if (violation !== null) failed += 1
    for (const line of violation ?? []) console.log(line)
    console.log(`The model of ${name}: ${states} states.`)
  }
  return failed > 0
}

async function simulateFigures(): Promise<boolean> {
  const figures = await import('./figures.ts')
  return (await runEach(figures.simulateFigures, FIGURE_SEEDS)) > 0
}

/** Returns how many seeds have a violation. */
async function runEach(
  simulate: (seed: number, options: { traces: boolean }) => Promise<Found>,
  seeds: number,
): Promise<number> {
  const seed = wholeNumber('seed')
  const first = seed ?? 1
  const count = wholeNumber('seeds') ?? (seed === undefined ? seeds : 1)
  const from = performance.now()
  let steps = 0
  let failed = 0
  for (let each = first; each < first + count; each += 1) {
    const found = await simulate(each, { traces: count === 1 })
    steps += found.steps
    for (const line of found.trace.slice(-TOLD_MAX)) console.log(line)
    if (found.violation === null) continue
    failed += 1
    console.log(`Seed ${each}: ${found.violation}`)
  }
  const seconds = Math.round((performance.now() - from) / 1_000)
  console.log(`${count} seeds, ${failed} with a violation, ${steps} steps, ${seconds} s.`)
  return failed
}
