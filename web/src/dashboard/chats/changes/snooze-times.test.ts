import { describe, expect, it } from 'vitest'
import { fieldTime, snoozePresets } from './snooze-presets.ts'
import { snoozeTime } from './snooze-times.ts'

/** In the time zone of the machine, as an admin has one. */
const local = (month: number, day: number, hour: number, minute = 0) =>
  new Date(2026, month - 1, day, hour, minute)
const presets = (now: Date) =>
  Object.fromEntries(snoozePresets(now.getTime()).map(({ label, until }) => [label, until]))

describe('the times to choose from', () => {
  it('are an hour, four hours, tomorrow at nine and Monday at nine', () => {
    expect(presets(local(11, 26, 22, 30))).toEqual({
      'In 1 hour': local(11, 26, 23, 30),
      'In 4 hours': local(11, 27, 2, 30),
      Tomorrow: local(11, 27, 9),
      'Next Monday': local(11, 30, 9),
    })
  })

  it('have the Monday of next week on a Monday, and tomorrow on a Sunday', () => {
    expect(presets(local(11, 23, 8))['Next Monday']).toEqual(local(11, 30, 9))
    expect(presets(local(11, 22, 8))['Next Monday']).toEqual(local(11, 23, 9))
  })

  it('go on in the next month', () => {
    expect(presets(local(12, 31, 12)).Tomorrow).toEqual(new Date(2027, 0, 1, 9))
  })
})

describe('a time', () => {
  const now = local(11, 26, 22, 30).getTime()
  it.each([
    [local(11, 26, 23, 30), '11:30 PM'],
    [local(11, 27, 9), 'tomorrow, 9:00 AM'],
    [local(11, 30, 9), 'Mon, Nov 30, 9:00 AM'],
  ])('%s is %j', (time, words) => {
    expect(snoozeTime(time.toISOString(), now).replaceAll('\u202f', ' ')).toBe(words)
  })

  it('has the form of a field, in the time zone of the machine', () => {
    expect(fieldTime(local(3, 5, 7, 9))).toBe('2026-03-05T07:09')
  })
})
