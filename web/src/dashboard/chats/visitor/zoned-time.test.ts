import { isTimeZone } from '@proctorpass/shared/hours'
import { describe, expect, it } from 'vitest'
import { dayAndTime, fromInput, sameClock, timeNow, toInput } from './zoned-time.ts'

describe('a time on the clock of a zone', () => {
  it.each([
    ['2026-11-22T12:30:00.000Z', 'Asia/Kolkata', '2026-11-22T18:00'],
    ['2026-07-01T23:30:00.000Z', 'Europe/Zurich', '2026-07-02T01:30'],
    ['2026-01-01T00:00:00.000Z', 'America/New_York', '2025-12-31T19:00'],
    ['2026-11-22T12:30:00.000Z', 'Asia/Kathmandu', '2026-11-22T18:15'],
    // The day of the change to winter time, before and after it.
    ['2026-10-24T23:30:00.000Z', 'Europe/Zurich', '2026-10-25T01:30'],
    ['2026-10-25T02:30:00.000Z', 'Europe/Zurich', '2026-10-25T03:30'],
    // The day of the change to summer time.
    ['2026-03-08T07:30:00.000Z', 'America/New_York', '2026-03-08T03:30'],
    ['2026-03-08T06:30:00.000Z', 'America/New_York', '2026-03-08T01:30'],
  ])('%s in %s is %s, and back', (iso, zone, input) => {
    expect(toInput(iso, zone)).toBe(input)
    expect(fromInput(input, zone)).toBe(iso)
  })

  it('that the clock skips is one beside it', () => {
    expect(fromInput('2026-03-29T02:30', 'Europe/Zurich')).toMatch(/^2026-03-29T0[01]:30/)
  })

  it('is null while it is unfinished', () => {
    expect(fromInput('', 'Europe/Zurich')).toBeNull()
  })

  it('is worded', () => {
    const spaced = (text: string) => text.replaceAll(/\s/g, ' ')
    expect(spaced(dayAndTime('2026-11-22T12:30:00.000Z', 'Asia/Kolkata', 'en-US'))).toBe(
      'Sun, Nov 22, 2026, 6:00 PM',
    )
    expect(spaced(timeNow(Date.UTC(2026, 10, 22, 12, 30), 'Asia/Kolkata', 'en-US'))).toBe('Sunday 6:00 PM')
  })
})

it('knows zones', () => {
  expect([isTimeZone('Europe/Zurich'), isTimeZone('Mars/Olympus'), isTimeZone('')]).toEqual([
    true,
    false,
    false,
  ])
})

it('compares clocks at a time', () => {
  const [summer, winter] = [Date.UTC(2026, 6, 1), Date.UTC(2026, 0, 1)]
  expect(sameClock(summer, 'Europe/Zurich', 'Europe/Berlin')).toBe(true)
  expect(sameClock(winter, 'Europe/London', 'Africa/Abidjan')).toBe(true)
  expect(sameClock(summer, 'Europe/London', 'Africa/Abidjan')).toBe(false)
})
