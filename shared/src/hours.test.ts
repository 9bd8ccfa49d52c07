import { describe, expect, it } from 'vitest'
import { hoursState, isTimeZone } from './hours.ts'
import type { Hours } from './schemas/settings.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const at = (iso: string) => Date.parse(iso)
const state = (hours: Hours | null, now: string) => {
  const { open, opensAt } = hoursState(hours, at(now))
  return open ? 'open' : opensAt && new Date(opensAt).toISOString().replace(':00.000Z', 'Z')
}
const weekdays = (from: string, to: string) => [1, 2, 3, 4, 5].map((day) => ({ day, from, to }))
const everyDay = (from: string, to: string) => [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from, to }))

it('is always open without hours', () => {
  expect(hoursState(null, 0)).toEqual({ open: true, opensAt: null })
})

it('opens at the beginning of a span and closes at its end', () => {
  const hours = { timeZone: 'Europe/Berlin', spans: weekdays('09:00', '17:30'), closed: [] }
  // A Monday in winter.
  expect(state(hours, '2026-11-23T07:59:59.999Z')).toBe('2026-11-23T08:00Z')
  expect(state(hours, '2026-11-23T08:00:00.000Z')).toBe('open')
  expect(state(hours, '2026-11-23T16:29:59.999Z')).toBe('open')
  expect(state(hours, '2026-11-23T16:30:00.000Z')).toBe('2026-11-24T08:00Z')
  // Friday evening.
  expect(state(hours, '2026-11-27T20:00:00Z')).toBe('2026-11-30T08:00Z')
})

it('has breaks, with spans in any order', () => {
  const spans = [
    { day: 1, from: '13:00', to: '24:00' },
    { day: 1, from: '09:00', to: '12:00' },
  ]
  const hours = { timeZone: 'Asia/Kathmandu', spans, closed: [] }
  expect(state(hours, '2026-11-23T03:14:00Z')).toBe('2026-11-23T03:15Z')
  expect(state(hours, '2026-11-23T06:15:00Z')).toBe('2026-11-23T07:15Z')
  expect(state(hours, '2026-11-23T18:14:59Z')).toBe('open')
  // 24:00: Monday comes again in a week.
  expect(state(hours, '2026-11-23T18:15:00Z')).toBe('2026-11-30T03:15Z')
})

it('stays open over midnight where spans touch', () => {
  const spans = [
    { day: 5, from: '18:00', to: '24:00' },
    { day: 6, from: '00:00', to: '02:00' },
  ]
  const hours = { timeZone: 'America/New_York', spans, closed: [] }
  expect(state(hours, '2026-11-28T05:00:00Z')).toBe('open')
  expect(state(hours, '2026-11-28T07:00:00Z')).toBe('2026-12-04T23:00Z')
})

it('is closed for the whole of closed days', () => {
  const hours = { timeZone: 'Pacific/Auckland', spans: everyDay('00:00', '24:00'), closed: ['2026-12-25'] }
  expect(state(hours, '2026-12-24T10:59:59Z')).toBe('open')
  expect(state(hours, '2026-12-24T11:00:00Z')).toBe('2026-12-25T11:00Z')
  expect(state(hours, '2026-12-25T10:59:59Z')).toBe('2026-12-25T11:00Z')
})

it('has no next opening without spans, or when the next 366 days are closed', () => {
  const spans = everyDay('09:00', '17:00')
  expect(hoursState({ timeZone: 'UTC', spans: [], closed: [] }, 0)).toEqual({ open: false, opensAt: null })
  const dates = (count: number) =>
    Array.from({ length: count }, (_, n) => new Date(n * DAY).toISOString().slice(0, 10))
  const closed = (count: number) => hoursState({ timeZone: 'UTC', spans, closed: dates(count) }, 10 * MINUTE)
  expect(closed(366)).toEqual({ open: false, opensAt: null })
  expect(closed(365)).toEqual({ open: false, opensAt: 365 * DAY + 9 * 60 * MINUTE })
})

describe('when the clocks change', () => {
  it('opens at the first time that exists', () => {
    // 2026-03-29: 02:00 becomes 03:00.
    const hours = { timeZone: 'Europe/Berlin', spans: everyDay('02:30', '03:30'), closed: [] }
    expect(state(hours, '2026-03-29T00:59:59Z')).toBe('2026-03-29T01:00Z')
    expect(state(hours, '2026-03-29T01:29:59Z')).toBe('open')
    expect(state(hours, '2026-03-29T01:30:00Z')).toBe('2026-03-30T00:30Z')
    // A span that the clock skips.
    const skipped = { ...hours, spans: everyDay('02:00', '03:00') }
    expect(state(skipped, '2026-03-29T00:00:00Z')).toBe('2026-03-30T00:00Z')
  })

  it('counts a repeated hour twice', () => {
    // 2026-11-01: 02:00 becomes 01:00.
    const hours = { timeZone: 'America/New_York', spans: everyDay('01:15', '01:45'), closed: [] }
    expect(state(hours, '2026-11-01T05:15:00Z')).toBe('open')
    expect(state(hours, '2026-11-01T05:45:00Z')).toBe('2026-11-01T06:15Z')
    expect(state(hours, '2026-11-01T06:44:59Z')).toBe('open')
    expect(state(hours, '2026-11-01T06:45:00Z')).toBe('2026-11-02T06:15Z')
  })

  it('knows half hours, and keeps the local time before and after', () => {
    // Lord Howe: 2026-04-05 02:00 becomes 01:30.
    const hours = { timeZone: 'Australia/Lord_Howe', spans: everyDay('09:00', '10:00'), closed: [] }
    expect(state(hours, '2026-04-03T23:00:00Z')).toBe('2026-04-04T22:30Z')
    expect(state(hours, '2026-04-03T22:00:00Z')).toBe('open')
  })

  it('knows a day that a zone left out', () => {
    // Apia had no December 30 in 2011, a Friday.
    const hours = (day: number) => ({
      timeZone: 'Pacific/Apia',
      spans: [{ day, from: '10:00', to: '11:00' }],
      closed: [],
    })
    expect(state(hours(6), '2011-12-30T09:00:00Z')).toBe('2011-12-30T20:00Z')
    expect(state(hours(5), '2011-12-30T00:00:00Z')).toBe('2012-01-05T20:00Z')
  })
})

describe('equals a reference that looks at every minute', () => {
  // Days around changes, both ways, and one at midnight.
  const WINDOWS: [string, string][] = [
    ['America/New_York', '2026-03-05'],
    ['America/New_York', '2026-10-29'],
    ['Europe/Berlin', '2026-03-26'],
    ['Europe/Berlin', '2026-10-22'],
    ['Australia/Lord_Howe', '2026-04-02'],
    ['Australia/Lord_Howe', '2026-10-01'],
    ['America/Santiago', '2026-04-02'],
    ['America/Santiago', '2026-09-03'],
    ['America/St_Johns', '2010-11-04'],
    ['Africa/Cairo', '2026-04-21'],
    ['Asia/Kathmandu', '2026-01-01'],
    ['Pacific/Apia', '2011-12-26'],
    ['Pacific/Kiritimati', '2026-06-01'],
    ['Africa/Casablanca', '2026-02-12'],
  ]
  /** Days of the reference; a week of them is looked ahead. */
  const DAYS = 12

  it.each(WINDOWS)('%s %s', (timeZone, from) => {
    const begin = at(`${from}T00:00:00Z`)
    const format = new Intl.DateTimeFormat('en', {
      ...{ timeZone, hourCycle: 'h23', weekday: 'short' },
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    })
    const clocks = Array.from({ length: (DAYS * DAY) / MINUTE }, (_, minute) => {
      const parts = format.formatToParts(begin + minute * MINUTE)
      const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
      return {
        day: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(part('weekday')) + 1,
        date: `${part('year')}-${part('month')}-${part('day')}`,
        time: `${part('hour')}:${part('minute')}`,
      }
    })
    const isOpen = ({ spans, closed }: Hours, minute: number) => {
      const clock = clocks[minute]
      if (clock === undefined || closed.includes(clock.date)) return false
      return spans.some(({ day, from, to }) => day === clock.day && from <= clock.time && clock.time < to)
    }

    const random = randomFrom(`${timeZone} ${from}`)
    for (let run = 0; run < 60; run += 1) {
      const hours = randomHours(
        timeZone,
        clocks.map(({ date }) => date),
        random,
      )
      for (let look = 0; look < 20; look += 1) {
        const minute = random(((DAYS - 8) * DAY) / MINUTE)
        const now = begin + minute * MINUTE + random(MINUTE)
        let next = minute + 1
        while (next < clocks.length && !isOpen(hours, next)) next += 1
        const open = isOpen(hours, minute)
        const { open: isOpenNow, opensAt } = hoursState(hours, now)
        const context = JSON.stringify({ hours, now: new Date(now) })
        expect(isOpenNow, context).toBe(open)
        if (open) expect(opensAt, context).toBe(null)
        else if (next < clocks.length) expect(opensAt, context).toBe(begin + next * MINUTE)
        else if (opensAt !== null) expect(opensAt, context).toBeGreaterThanOrEqual(begin + DAYS * DAY)
      }
    }
  })

  /** Some spans of each day, mostly around the changes of the clocks, and some closed days. */
  function randomHours(timeZone: string, dates: string[], random: (below: number) => number): Hours {
    const clock = (minute: number) =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const spans = [1, 2, 3, 4, 5, 6, 7].flatMap((day) => {
      const limit = random(2) === 0 ? 240 : 1_441
      const times = new Set(Array.from({ length: 2 * random(3) }, () => random(limit)))
      if (random(6) === 0) times.add(1_440).add(1_320)
      const sorted = [...times].sort((a, b) => a - b)
      return sorted.flatMap((to, index) =>
        index % 2 === 1 ? [{ day, from: clock(sorted[index - 1] ?? 0), to: clock(to) }] : [],
      )
    })
    const closed = Array.from({ length: random(4) }, () => dates[random(dates.length)] ?? '')
    return { timeZone, spans: spans.reverse(), closed }
  }
})

it('knows the names of zones, and no offsets', () => {
  for (const name of ['Europe/Zurich', 'UTC', 'Asia/Calcutta', 'America/Argentina/Ushuaia']) {
    expect(isTimeZone(name), name).toBe(true)
  }
  for (const name of ['', '+02:00', 'Mars/Phobos', 'Europe', `UTC${'x'.repeat(99)}`]) {
    expect(isTimeZone(name), name).toBe(false)
  }
})

/** The same numbers for the same seed. */
function randomFrom(seed: string): (below: number) => number {
  let state = [...seed].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 1)
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
