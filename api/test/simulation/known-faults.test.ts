import { expect, it } from 'vitest'
import { KNOWN_FAULTS } from './known-faults.ts'
import { find, occurrences } from './put-back.ts'

it.each(KNOWN_FAULTS)('can put back what $commit mended', (fault) => {
  expect(occurrences(fault)).toBe(1)
})

/** All of them: `npm run simulate -- --known-faults`. */
it('finds a fault that is put back, and none in a file that has changed', { timeout: 120_000 }, async () => {
  const [quickest] = KNOWN_FAULTS
  if (quickest === undefined) throw new Error('No fault is known.')
  expect(await find(quickest)).toEqual({ seed: quickest.seed })
  expect(await find({ ...quickest, text: 'not in the file' })).toEqual({
    problem: `Its text occurs 0 times in ${quickest.file}.`,
  })
})
