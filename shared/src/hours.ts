import { TIME_ZONE_MAX } from './limits.ts'
import type { Hours, Span } from './schemas/settings.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** How many dates, from today, are searched for the next opening. */
const DATES_MAX = 366

export interface HoursState {
  open: boolean
  /** Milliseconds since 1970 UTC. Null while open, and if it stays closed. */
  opensAt: number | null
}

/**
 * Returns whether the business is open. It is open whenever a clock in the zone shows a time in a span, on a date that
 * is not closed. So an hour that the clock skips is lost, and one that it repeats counts twice.
 */
export function hoursState(hours: Hours | null, now: number): HoursState {
  if (hours === null) return { open: true, opensAt: null }
  const opensAt = nextOpen(hours, now)
  return opensAt === now ? { open: true, opensAt: null } : { open: false, opensAt }
}

/** Whether the platform knows the IANA name. */
export function isTimeZone(name: string): boolean {
  // Intl also accepts offsets such as +02:00, which are not time zones.
  if (name.length > TIME_ZONE_MAX || !/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Returns how much of the time from `start` to `end` is open, in milliseconds. */
export function openTime(hours: Hours | null, start: number, end: number): number {
  if (end <= start) return 0
  if (hours === null) return end - start
  let open = 0
  const offset = offsetsOf(hours.timeZone)
  for (const [opens, closes] of openSpans(hours, start, midnight(end + offset(end)) + DAY_MS)) {
    open += Math.max(0, Math.min(closes, end) - Math.max(opens, start))
  }
  return open
}

/** Returns the earliest open time from `now` on. */
function nextOpen(hours: Hours, now: number): number | null {
  const today = midnight(now + offsetsOf(hours.timeZone)(now))
  for (const [opens] of openSpans(hours, now, today + DATES_MAX * DAY_MS)) return opens
  return null
}

/** Yields the open spans from `now` on, in order. `end` is a midnight, as if the zone were UTC. */
function* openSpans(
  { timeZone, spans, closed }: Hours,
  now: number,
  end: number,
): Iterable<[opens: number, closes: number]> {
  if (spans.length === 0) return
  const inOrder = spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))
  const closedDates = new Set(closed)
  const offset = offsetsOf(timeZone)
  let start = now
  // Between two changes of the offset, the zone's times are UTC's times, shifted by the offset.
  while (start + offset(start) < end) {
    const change = nextChange(offset, start)
    const moved = offset(start)
    for (let date = midnight(start + moved); date < Math.min(change + moved, end); date += DAY_MS) {
      if (closedDates.has(new Date(date).toISOString().slice(0, 10))) continue
      const weekday = new Date(date).getUTCDay() || 7
      for (const span of inOrder) {
        if (span.day !== weekday) continue
        const opens = Math.max(start, date + minutes(span.from) * MINUTE_MS - moved)
        const closes = Math.min(change, date + minutes(span.to) * MINUTE_MS - moved)
        if (opens < closes) yield [opens, closes]
      }
    }
    start = change
  }
}

/** Returns the offset's next change within a day, or the next day. */
function nextChange(offset: (time: number) => number, start: number): number {
  let [before, after] = [start, start + DAY_MS]
  if (offset(before) === offset(after)) return after
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offset(middle) === offset(start)) before = middle
    else after = middle
  }
  return after
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns how far a zone's clocks are ahead of UTC at a time, in milliseconds. */
export function offsetsOf(timeZone: string): (time: number) => number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  return (time) => {
    // The format is "11/22/2026, GMT-03:30".
    const [, sign = '+', hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(time)) ?? []
    const ahead = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
    return sign === '-' ? -ahead : ahead
  }
}

function midnight(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS
}

function minutes(clock: Span['from']): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}
