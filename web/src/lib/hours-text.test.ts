import { describe, expect, it } from 'vitest'
import { hoursLines } from './hours-text.ts'
import { ownHoursText } from './own-hours-text.ts'

const span = (day: number, from: string, to: string) => ({ day, from, to })
const hours = (...spans: ReturnType<typeof span>[]) => ({ timeZone: 'America/New_York', spans, closed: [] })
const daily = (days: number[], from: string, to: string) => hours(...days.map((day) => span(day, from, to)))
const WEEKDAYS = [1, 2, 3, 4, 5]

describe('opening hours in words', () => {
  it('name the time zone in the line if there is only one', () => {
    expect(hoursLines(daily(WEEKDAYS, '09:00', '18:00'))).toEqual([
      'Monday to Friday, 9 AM to 6 PM Eastern Time',
    ])
  })

  it('are one line for days in a row with the same times', () => {
    expect(hoursLines(hours(...daily(WEEKDAYS, '09:00', '17:30').spans, span(7, '10:00', '12:00')))).toEqual([
      'Monday to Friday, 9 AM to 5:30 PM',
      'Sunday, 10 AM to noon',
      'All times are Eastern Time',
    ])
  })

  it('name each span of a day, in order', () => {
    expect(hoursLines(hours(span(2, '14:00', '24:00'), span(2, '08:05', '12:30')))).toEqual([
      'Tuesday, 8:05 AM to 12:30 PM and 2 PM to midnight Eastern Time',
    ])
  })

  it.each([
    [[1, 2, 3, 4, 5, 6, 7], 'Every day'],
    [[6, 7], 'Saturday and Sunday'],
    [[7, 1, 2], 'Sunday to Tuesday'],
    [[3], 'Wednesday'],
  ])('name the days %j', (days, text) => {
    expect(hoursLines(daily(days, '00:00', '24:00'))).toEqual([`${text}, all day Eastern Time`])
  })

  it.each([
    ['Europe/Berlin', 'Central European Time'],
    ['UTC', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('name the zone %s', (timeZone, name) => {
    expect(hoursLines({ ...daily([1], '09:00', '17:00'), timeZone })).toEqual([
      `Monday, 9 AM to 5 PM ${name}`,
    ])
  })

  it('say when the chat is always open, and when it never is', () => {
    expect(hoursLines(null)).toEqual(['Write any time'])
    expect(hoursLines(hours())).toEqual(['The chat is closed'])
  })
})

describe('opening hours on the visitor’s clock', () => {
  const WINTER = Date.UTC(2026, 0, 15, 12)
  const own = (zone: string, now = WINTER) => ownHoursText(daily(WEEKDAYS, '09:00', '18:00'), now, zone)

  it.each([
    ['America/New_York', null],
    ['America/Toronto', null],
    ['Europe/Berlin', 'Your time: Monday to Friday, 3 PM to midnight'],
    ['Asia/Kolkata', 'Your time: Monday to Friday, 7:30 PM to 4:30 AM'],
    ['Asia/Tokyo', 'Your time: Monday to Friday, 11 PM to 8 AM'],
    ['Pacific/Auckland', 'Your time: Tuesday to Saturday, 3 AM to noon'],
    ['America/Los_Angeles', 'Your time: Monday to Friday, 6 AM to 3 PM'],
  ])('are, in %s: %s', (zone, text) => {
    expect(own(zone)).toBe(text)
  })

  it('may begin on the day before', () => {
    const early = { ...daily(WEEKDAYS, '06:00', '15:00'), timeZone: 'Asia/Tokyo' }
    expect(ownHoursText(early, WINTER, 'America/New_York')).toBe(
      'Your time: Sunday to Thursday, 4 PM to 1 AM',
    )
  })

  it('follow the clock changes of both zones', () => {
    // The United States changes the clock three weeks before Europe.
    expect(own('Europe/Berlin', Date.UTC(2026, 2, 15))).toBe('Your time: Monday to Friday, 2 PM to 11 PM')
  })

  it('say nothing while the chat is always open, or never', () => {
    expect(ownHoursText(null, WINTER, 'Asia/Tokyo')).toBeNull()
    expect(ownHoursText(hours(), WINTER, 'Asia/Tokyo')).toBeNull()
  })
})
