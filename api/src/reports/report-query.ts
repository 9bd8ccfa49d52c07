import { fieldError } from '@proctorpass/shared/errors'
import { isTimeZone, offsetsOf } from '@proctorpass/shared/hours'
import { labelKey } from '@proctorpass/shared/label-key'
import { REPORT_DAYS_MAX } from '@proctorpass/shared/limits'
import type { ReportConversationsQuery, ReportQuery } from '@proctorpass/shared/schemas/report'
import type { ReportGroup } from '../storage/model/reports/report-parts.ts'

export const DAY_MS = 24 * 60 * 60 * 1_000

export interface Range {
  from: string
  to: string
  zone: string
  time: 'clock' | 'open'
  /** The range's dates, in order. */
  dates: string[]
  /** The same number of dates before the range. */
  previous: string[]
  /** Names everything on which `includes` depends. */
  filter: string
  includes: (group: ReportGroup) => boolean
}

/**
 * Returns the query's range. Throws an AppError `invalid-input` for days that do not exist, a wrong or too long range,
 * and an unknown zone.
 */
export function rangeOf(query: ReportQuery, defaultZone: string): Range {
  const { from, to, zone = defaultZone, time = 'clock', site, label, assignee } = query
  const first = timeOf('from', from)
  const last = timeOf('to', to)
  if (last < first) throw fieldError('to', "Choose a day that isn't before the first one")
  const length = (last - first) / DAY_MS + 1
  if (length > REPORT_DAYS_MAX) throw fieldError('to', `Choose at most ${REPORT_DAYS_MAX} days`)
  if (!isTimeZone(zone)) throw fieldError('zone', 'Choose a time zone, such as Europe/Zurich')
  const labelFilter = label === undefined ? null : labelKey(label)
  return {
    ...{ from, to, zone, time },
    dates: datesFrom(first, length),
    previous: datesFrom(first - length * DAY_MS, length),
    filter: JSON.stringify([site ?? null, labelFilter, assignee ?? null]),
    includes: (group) =>
      (site === undefined || (group.siteId ?? 'own') === site) &&
      (assignee === undefined || (group.assigneeId ?? 'none') === assignee) &&
      (labelFilter === null || group.labels.some((of) => labelKey(of) === labelFilter)),
  }
}

/** Returns the beginning and the end of the range, or of one hour in it, in milliseconds since 1970 UTC. */
export function boundsOf({ dates, zone }: Range, at: ReportConversationsQuery['at']): [number, number] {
  if (at === undefined) {
    const last = timeOf('to', dates.at(-1) ?? '') + DAY_MS
    return [utcOf(timeOf('from', dates[0] ?? ''), zone), utcOf(last, zone)]
  }
  const hour = Number(at.slice(11))
  if (!dates.includes(at.slice(0, 10)) || hour > 23) {
    throw fieldError('at', 'Choose an hour inside the range')
  }
  const local = timeOf('at', at.slice(0, 10)) + hour * 60 * 60 * 1_000
  return [utcOf(local, zone), utcOf(local + 60 * 60 * 1_000, zone)]
}

/**
 * Returns the first time at which the zone's clocks show this time or a later one. `local` is written as if the zone
 * were UTC.
 */
export function utcOf(local: number, zone: string): number {
  const offset = offsetsOf(zone)
  const found = [-DAY_MS, DAY_MS].map((by) => local - offset(local + by))
  return found.find((time) => time + offset(time) >= local) ?? local - offset(local)
}

function timeOf(field: string, date: string): number {
  const time = Date.parse(date)
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) {
    throw fieldError(field, 'This day does not exist')
  }
  return time
}

/** Adds days to a date such as `2026-11-22`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}

function datesFrom(first: number, length: number): string[] {
  return Array.from({ length }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10))
}
