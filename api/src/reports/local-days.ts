import { offsetsOf } from '@proctorpass/shared/hours'
import { SLOW_WAIT_MS } from '@proctorpass/shared/limits'
import { countLonger } from '../storage/model/reports/histograms.ts'
import { addGroup, type GroupFigures } from '../storage/model/reports/report-figures.ts'
import { QUARTER_MS } from '../storage/model/reports/report-parts.ts'
import type { ReportRepository } from '../storage/model/reports/report-tables.ts'
import { type DayFigures, firstQuarterOf, QUARTERS } from './day-figures.ts'
import { addDays, DAY_MS } from './report-query.ts'

/** The sums of a day in a time zone, or of the part of it that is in one UTC day. */
export interface LocalDay {
  date: string
  groups: LocalGroup[]
}

export interface LocalGroup extends GroupFigures {
  /** Visitors' messages by the zone's hour. */
  hours: number[]
  /** Waits longer than SLOW_WAIT_MS, by the hour in which they began. */
  slow: { clock: number[]; open: number[] }
}

/** The revisions by UTC day. Days without figures are missing. */
export type Revisions = ReadonlyMap<string, string>

/** The most characters of JSON for the days in memory. */
const CACHED_CHARACTERS = 16 * 1024 * 1024

/** Reads days in a time zone. The days made from a UTC day stay in memory while the UTC day has the same revision. */
export function createLocalDays({ days, day: read }: Pick<ReportRepository, 'days' | 'day'>) {
  const cache = new Map<string, { revision: string; characters: number; days: LocalDay[] }>()
  let characters = 0

  function forget(key: string): void {
    characters -= cache.get(key)?.characters ?? 0
    cache.delete(key)
  }

  async function localDaysIn(zone: string, day: string, revision: string): Promise<LocalDay[]> {
    const key = `${day} ${zone}`
    const known = cache.get(key)
    if (known?.revision === revision) return known.days
    const found = await read(day)
    if (found === null) return []
    // A busy site's day takes a millisecond, so other work runs between two days.
    await new Promise(setImmediate)
    const days = localDays(zone, day, JSON.parse(found.data) as DayFigures)
    forget(key)
    cache.set(key, { revision: found.revision, characters: found.data.length, days })
    characters += found.data.length
    for (const oldest of cache.keys()) {
      if (characters <= CACHED_CHARACTERS) break
      forget(oldest)
    }
    return days
  }

  return {
    /** Returns the revision of every UTC day that a date can be in. `dates` are in order, without gaps. */
    async revisions(dates: readonly string[]): Promise<Revisions> {
      const [first, last] = [dates[0] ?? '', dates.at(-1) ?? '']
      const count = (Date.parse(last) - Date.parse(first)) / DAY_MS + 3
      const found = await days(addDays(first, -1), count)
      return new Map(found.map(({ day, revision }) => [day, revision]))
    },

    /** Returns one date's parts. `revisions` must have just been read. */
    async on(zone: string, date: string, revisions: Revisions): Promise<LocalDay[]> {
      const parts: LocalDay[] = []
      for (const day of daysOf(date)) {
        const revision = revisions.get(day)
        if (revision === undefined) continue
        const found = await localDaysIn(zone, day, revision)
        parts.push(...found.filter((part) => part.date === date))
      }
      return parts
    },

    forgetAll(): void {
      cache.clear()
      characters = 0
    },
  }
}

export type LocalDays = ReturnType<typeof createLocalDays>

/** Returns the UTC days that a date can be in: the day itself and one beside it, depending on the zone. */
export function daysOf(date: string): string[] {
  return [-1, 0, 1].map((by) => addDays(date, by))
}

function localDays(zone: string, day: string, figures: DayFigures): LocalDay[] {
  const offset = offsetsOf(zone)
  const first = firstQuarterOf(day)
  const dates = new Map<string, { groups: Map<string, GroupFigures>; byHour: Map<string, ByHour> }>()
  for (let ofDay = 0; ofDay < QUARTERS; ofDay++) {
    const quarter = figures[ofDay]
    if (quarter === undefined) continue
    const time = (first + ofDay) * QUARTER_MS
    const local = new Date(time + offset(time))
    const date = local.toISOString().slice(0, 10)
    const sums = dates.get(date) ?? { groups: new Map(), byHour: new Map<string, ByHour>() }
    dates.set(date, sums)
    for (const group of quarter.groups) {
      const name = addGroup(sums.groups, group)
      const byHour = sums.byHour.get(name) ?? noHours()
      sums.byHour.set(name, byHour)
      const hour = local.getUTCHours()
      const { messagesIn = 0, wait } = group.figures
      byHour.hours[hour] = (byHour.hours[hour] ?? 0) + messagesIn
      for (const time of ['clock', 'open'] as const) {
        const slow = byHour.slow[time]
        slow[hour] = (slow[hour] ?? 0) + countLonger(wait?.[time] ?? {}, SLOW_WAIT_MS)
      }
    }
  }
  return [...dates].map(([date, { groups, byHour }]) => ({
    date,
    groups: [...groups].map(([name, group]) => ({ ...group, ...(byHour.get(name) ?? noHours()) })),
  }))
}

type ByHour = Pick<LocalGroup, 'hours' | 'slow'>

function noHours(): ByHour {
  const zeros = () => new Array<number>(24).fill(0)
  return { hours: zeros(), slow: { clock: zeros(), open: zeros() } }
}
