import { offsetsOf } from '@proctorpass/shared/hours'
import { addDays, DAY_MS, utcOf } from '../reports/report-query.ts'

/** Milliseconds from midnight to the weekly mail. */
const TIME_OF_DAY_MS = 8 * 60 * 60 * 1_000

/** Returns the Monday of the week that the zone's calendars show, as `YYYY-MM-DD`. */
export function mondayOf(zone: string, now: number): string {
  const day = Math.floor((now + offsetsOf(zone)(now)) / DAY_MS)
  // 1970-01-01 was a Thursday.
  const sinceMonday = (((day + 3) % 7) + 7) % 7
  return new Date((day - sinceMonday) * DAY_MS).toISOString().slice(0, 10)
}

/** Returns when a Monday's mail is due: at 8:00 by the zone's clocks. */
export function mailTime(monday: string, zone: string): number {
  return utcOf(Date.parse(monday) + TIME_OF_DAY_MS, zone)
}

/** Returns the first Monday whose mail is due after `now`. */
export function nextMonday(zone: string, now: number): string {
  const monday = mondayOf(zone, now)
  return mailTime(monday, zone) > now ? monday : addDays(monday, 7)
}
