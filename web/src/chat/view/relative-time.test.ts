import { describe, expect, it } from 'vitest'
import { exactTime, relativeTime } from './relative-time.ts'

const NOW = Date.UTC(2026, 5, 15, 12)
const SECOND = 1_000
const DAY = 86_400 * SECOND
const ago = (ms: number, locale = 'en-GB') => relativeTime(new Date(NOW - ms).toISOString(), NOW, locale)

describe('relativeTime', () => {
  it.each([
    [0, 'just now'],
    [4 * SECOND, 'just now'],
    [5 * SECOND, '5 seconds ago'],
    [59 * SECOND, '59 seconds ago'],
    [60 * SECOND, '1 minute ago'],
    [5 * 60 * SECOND, '5 minutes ago'],
    [3_600 * SECOND, '1 hour ago'],
    [DAY, '1 day ago'],
    [6 * DAY, '6 days ago'],
    [7 * DAY, '1 week ago'],
    [45 * DAY, '1 month ago'],
    [364 * DAY, '12 months ago'],
    [800 * DAY, '2 years ago'],
  ])('%i ms ago is "%s"', (ms, text) => {
    expect(ago(ms)).toBe(text)
  })

  it('is in the language of the locale', () => {
    expect(ago(0, 'zh-CN')).toBe('刚刚')
    expect(ago(0, 'zh-TW')).toBe('剛剛')
    expect(ago(300 * SECOND, 'zh-CN')).toBe('5分钟前')
    expect(ago(0, 'de-DE')).toBe('jetzt')
    expect(ago(300 * SECOND, 'de-DE')).toBe('vor 5 Minuten')
  })

  it('shows the near future as just now, and the date of a farther one: the clock is wrong', () => {
    expect(ago(-59 * SECOND)).toBe('just now')
    expect(ago(-21 * DAY, 'en-US')).toBe(exactTime('2026-07-06T12:00:00.000Z', 'en-US'))
    expect(ago(-21 * DAY, 'en-US')).toContain('Jul 6, 2026')
  })

  it('is empty for an invalid time', () => {
    expect(relativeTime('yesterday', NOW, 'en')).toBe('')
  })
})
