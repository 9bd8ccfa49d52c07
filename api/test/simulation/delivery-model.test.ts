import { expect, it } from 'vitest'
import { RULES, visitAll, WITH_DEATHS, WITH_FAILOVER } from './delivery-model.ts'

// After a failover there are five times as many states: `npm run simulate -- --webhooks` visits them.
it('loses and overtakes nothing in any state of two runs', () => {
  const { states, violation } = visitAll(RULES, WITH_DEATHS)
  expect(violation).toBeNull()
  expect(states).toBeGreaterThan(10_000)
})

it.each([
  ['keeps', WITH_DEATHS],
  ['holdChanges', WITH_DEATHS],
  ['confirms', WITH_FAILOVER],
] as const)('loses an event without the rule `%s`', (rule, bounds) => {
  const { violation } = visitAll({ ...RULES, [rule]: false }, bounds)
  expect(violation?.at(-1)).toMatch(/event \d is lost/)
})
