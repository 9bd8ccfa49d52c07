import { expect, it } from 'vitest'
import { simulateDelivery } from './delivery.ts'

/** More of them: `npm run simulate -- --webhooks`. */
const SEEDS = 60

it('loses, overtakes and forgets no event', async () => {
  const violations: string[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { violation } = await simulateDelivery(seed)
    if (violation !== null) violations.push(`npm run simulate -- --webhooks --seed ${seed}: ${violation}`)
  }
  expect(violations).toEqual([])
})

it('goes the same way for the same seed', async () => {
  const [one, other] = [
    await simulateDelivery(1, { traces: true }),
    await simulateDelivery(1, { traces: true }),
  ]
  expect(one.trace).toEqual(other.trace)
})
