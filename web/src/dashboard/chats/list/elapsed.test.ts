import { describe, expect, it } from 'vitest'
import { duration, shortened } from './elapsed.tsx'

const NOW = Date.UTC(2026, 10, 22)
const SECOND = 1_000
const DAY = 86_400 * SECOND

describe('duration', () => {
  it.each([
    [-DAY, 'less than a minute', 'now'],
    [59 * SECOND, 'less than a minute', 'now'],
    [60 * SECOND, '1 minute', '1m'],
    [2 * 3_600 * SECOND, '2 hours', '2h'],
    [28 * DAY, '4 weeks', '4w'],
    [90 * DAY, '3 months', '3mo'],
  ])('of %i ms is "%s", in a narrow column "%s"', (ms, text, short) => {
    expect(duration(new Date(NOW - ms).toISOString(), NOW)).toBe(text)
    expect(shortened(text)).toBe(short)
  })
})
