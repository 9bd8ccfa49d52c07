import { offsetsOf } from '@proctorpass/shared/hours'
import type { ReportDay } from '../storage/port/reports.ts'
import { addGroup, type GroupFigures } from '../storage/rules/report-figures.ts'
import { QUARTER_MS } from '../storage/rules/report-parts.ts'
import { type DayFigures, firstQuarterOf, QUARTERS } from './day-figures.ts'

/** Sums of a day of a zone, or of the part of it that is in one day of UTC. */
export interface LocalDay {
  date: string
  groups: LocalGroup[]
}

export interface LocalGroup extends GroupFigures {
  /** Visitors' messages by hour of the zone. */
  hours: number[]
}

/** A report of 400 days, the days before it, and their neighbors. */
const CACHED_MAX = 1_000

/**
 * The sums of each day of UTC by days of a zone, kept in memory while the day has the same revision: a report reads only
 * what has changed.
 */
export function createLocalDays(read: (day: string) => Promise<ReportDay | null>) {
  const cache = new Map<string, { revision: string; days: LocalDay[] }>()
  return async (
    zone: string,
    { day, revision }: Pick<ReportDay, 'day' | 'revision'>,
  ): Promise<LocalDay[]> => {
    const key = `${day} ${zone}`
    const known = cache.get(key)
    if (known?.revision === revision) return known.days
    const found = await read(day)
    if (found === null) return []
    const days = localDays(zone, day, JSON.parse(found.data) as DayFigures)
    cache.delete(key)
    cache.set(key, { revision: found.revision, days })
    const [oldest] = cache.keys()
    if (cache.size > CACHED_MAX && oldest !== undefined) cache.delete(oldest)
    return days
  }
}

function localDays(zone: string, day: string, figures: DayFigures): LocalDay[] {
  const offset = offsetsOf(zone)
  const first = firstQuarterOf(day)
  const dates = new Map<string, { groups: Map<string, GroupFigures>; hours: Map<string, number[]> }>()
  for (let ofDay = 0; ofDay < QUARTERS; ofDay++) {
    const quarter = figures[ofDay]
    if (quarter === undefined) continue
    const time = (first + ofDay) * QUARTER_MS
    const local = new Date(time + offset(time))
    const date = local.toISOString().slice(0, 10)
    const sums = dates.get(date) ?? { groups: new Map(), hours: new Map() }
    dates.set(date, sums)
    for (const group of quarter.groups) {
      const name = addGroup(sums.groups, group)
      const hours = sums.hours.get(name) ?? new Array<number>(24).fill(0)
      sums.hours.set(name, hours)
      const hour = local.getUTCHours()
      hours[hour] = (hours[hour] ?? 0) + (group.figures.messagesIn ?? 0)
    }
  }
  return [...dates].map(([date, { groups, hours }]) => ({
    date,
    groups: [...groups].map(([name, group]) => ({ ...group, hours: hours.get(name) ?? [] })),
  }))
}
