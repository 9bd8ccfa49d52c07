import { expect, it } from 'vitest'
import { mailTime, mondayOf, nextMonday } from './weekly-times.ts'

const at = (time: string) => Date.parse(time)

it.each([
  ['Europe/Zurich', '2026-11-22T22:59:59Z', '2026-11-16'],
  ['Europe/Zurich', '2026-11-22T23:00:00Z', '2026-11-23'],
  ['America/Los_Angeles', '2026-11-23T07:59:59Z', '2026-11-16'],
  ['Pacific/Kiritimati', '2026-11-22T10:00:00Z', '2026-11-23'],
  ['UTC', '1969-12-29T00:00:00Z', '1969-12-29'],
])('begins the week in %s at %s on %s', (zone, time, monday) => {
  expect(mondayOf(zone, at(time))).toBe(monday)
})

it.each([
  ['Europe/Zurich', '2026-10-19', '2026-10-19T06:00:00Z'],
  // The clocks were set back on Sunday.
  ['Europe/Zurich', '2026-10-26', '2026-10-26T07:00:00Z'],
  ['Europe/Zurich', '2026-03-23', '2026-03-23T07:00:00Z'],
  // The clocks were set forward on Sunday.
  ['Europe/Zurich', '2026-03-30', '2026-03-30T06:00:00Z'],
  ['America/St_Johns', '2026-11-23', '2026-11-23T11:30:00Z'],
  ['Pacific/Kiritimati', '2026-11-23', '2026-11-22T18:00:00Z'],
])('mails at 8:00 by the clocks of %s on %s', (zone, monday, time) => {
  expect(new Date(mailTime(monday, zone)).toISOString()).toBe(new Date(time).toISOString())
})

it('names the first Monday whose mail is still due', () => {
  const zone = 'Europe/Zurich'
  expect(nextMonday(zone, at('2026-11-23T06:59:59Z'))).toBe('2026-11-23')
  expect(nextMonday(zone, at('2026-11-23T07:00:00Z'))).toBe('2026-11-30')
  expect(nextMonday(zone, at('2026-11-29T22:59:59Z'))).toBe('2026-11-30')
})
