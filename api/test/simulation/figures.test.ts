import { expect, it } from 'vitest'
import { simulateFigures } from './figures.ts'

/** More of them: `npm run simulate -- --figures`. */
const SEEDS = 20

it('keeps the figures of reports right when nodes die and primaries change', async () => {
  const violations: string[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { violation } = await simulateFigures(seed)
    if (violation !== null) violations.push(`npm run simulate -- --figures --seed ${seed}: ${violation}`)
  }
  expect(violations).toEqual([])
})
