import { offsetsOf } from '@proctorpass/shared/hours'
import type { ReportDay, ReportRepository } from '../storage/port/reports.ts'
import { addGroup, type GroupFigures } from '../storage/rules/report-figures.ts'
import { QUARTER_MS } from '../storage/rules/report-parts.ts'
import { type DayFigures, firstQuarterOf, QUARTERS } from './day-figures.ts'
import { addDays, DAY_MS } from './report-query.ts'

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

/** `dates`: in order. Dates without figures are missing in the answer, and others may be in it. */
export type ReadLocalDays = (zone: string, dates: readonly string[]) => Promise<Map<string, LocalDay[]>>

/**
 * Reads the sums of days of a zone, by date. Those of each day of UTC are kept in memory while the day has the same
 * revision: a report reads only what has changed.
 */
export function createLocalDays({ days, day: read }: Pick<ReportRepository, 'days' | 'day'>): ReadLocalDays {
  const cache = new Map<string, { revision: string; days: LocalDay[] }>()

  async function localDaysIn(zone: string, { day, revision }: Pick<ReportDay, 'day' | 'revision'>) {
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

  return async (zone, dates) => {
    // A day of a zone is in up to two days of UTC, which are it and one beside it.
    const wanted = new Set(dates.flatMap((date) => [-1, 0, 1].map((by) => addDays(date, by))))
    const [first, last] = [dates[0] ?? '', dates.at(-1) ?? '']
    const found: LocalDay[] = []
    const count = (Date.parse(last) - Date.parse(first)) / DAY_MS + 3
    for (const day of await days(addDays(first, -1), count)) {
      if (wanted.has(day.day)) found.push(...(await localDaysIn(zone, day)))
    }
    return Map.groupBy(found, ({ date }) => date)
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
