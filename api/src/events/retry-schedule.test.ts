import { expect, it } from 'vitest'
import { pauseAfter } from './retry-schedule.ts'

const HOUR_MS = 60 * 60 * 1_000
const all = (random: number) =>
  Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, null, () => random) ?? 0)

it('has ten attempts over 75 hours, with pauses that grow and differ', () => {
  const total = all(0).reduce((sum, pause) => sum + pause, 0)
  expect(Math.floor(total / HOUR_MS)).toBe(76 - 1)
  expect(all(0)).toEqual([...all(0)].sort((a, b) => a - b))
  expect(all(0.5).every((pause, index) => pause > (all(0)[index] ?? 0))).toBe(true)
  expect(pauseAfter(10, 1)).toBeNull()
})

it('is never shorter than a receiver asks for', () => {
  expect(pauseAfter(1, 2 * HOUR_MS, () => 0)).toBe(2 * HOUR_MS)
  expect(pauseAfter(9, 1_000, () => 0)).toBe(24 * HOUR_MS)
})
