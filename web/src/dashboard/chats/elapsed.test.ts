import { describe, expect, it } from 'vitest'
import { duration } from './elapsed.tsx'

const NOW = Date.UTC(2026, 10, 22)
const SECOND = 1_000
const DAY = 86_400 * SECOND

describe('duration', () => {
  it.each([
    [-DAY, 'less than a minute'],
    [59 * SECOND, 'less than a minute'],
    [60 * SECOND, '1 minute'],
    [2 * 3_600 * SECOND, '2 hours'],
    [28 * DAY, '4 weeks'],
  ])('of %i ms is "%s"', (ms, text) => {
    expect(duration(new Date(NOW - ms).toISOString(), NOW)).toBe(text)
  })
})
