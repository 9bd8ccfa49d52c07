/**
 * Simulates the delivery of webhooks, one seed after another, and prints each seed that finds a violation. Then it visits
 * all states of the model, also those after a failover.
 *
 *   npm run simulate -- [--seed N] [--seeds N]
 *
 * With `--seed` alone it runs one, and prints what happened last.
 */
import { parseArgs } from 'node:util'
import { simulateDelivery } from './delivery.ts'
import { RULES, visitAll, WITH_DEATHS, WITH_FAILOVER } from './delivery-model.ts'

const SEEDS = 4_000
const TOLD_MAX = 80

const { values: options } = parseArgs({ options: { seed: { type: 'string' }, seeds: { type: 'string' } } })
const first = Number(options.seed ?? 1)
const count = Number(options.seeds ?? (options.seed === undefined ? SEEDS : 1))
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count)) throw new Error('Use whole numbers.')

const from = performance.now()
let steps = 0
let failed = 0
for (let seed = first; seed < first + count; seed += 1) {
  const found = await simulateDelivery(seed, { traces: count === 1 })
  steps += found.steps
  for (const line of found.trace.slice(-TOLD_MAX)) console.log(line)
  if (found.violation === null) continue
  failed += 1
  console.log(`Seed ${seed}: ${found.violation}`)
}
const seconds = Math.round((performance.now() - from) / 1_000)
console.log(`${count} seeds, ${failed} with a violation, ${steps} steps, ${seconds} s.`)
if (options.seed === undefined) {
  for (const bounds of [WITH_DEATHS, WITH_FAILOVER]) {
    const { states, violation } = visitAll(RULES, bounds)
    if (violation !== null) failed += 1
    for (const line of violation ?? []) console.log(line)
    console.log(`The model${bounds.failover ? ' with a failover' : ''}: ${states} states.`)
  }
}
process.exitCode = failed > 0 ? 1 : 0
