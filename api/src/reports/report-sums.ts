import { addFigures, type Figures } from '../storage/model/reports/report-figures.ts'
import { daysOf, type LocalDay, type LocalDays, type Revisions } from './local-days.ts'
import { DAY_MS, type Range } from './report-query.ts'

/** The sums over some dates. */
export interface Sums {
  totals: Figures
  labels: Map<string, Figures>
  /** The figures by a site's ID, or `own`. */
  sites: Map<string, Figures>
  /** Visitors' messages by weekday (Monday first) and hour. */
  heat: number[][]
  /** Waits longer than SLOW_WAIT_MS, in the same order. */
  slow: { clock: number[][]; open: number[][] }
}

/** How many dates share one cached sum. */
const SPAN_DAYS = 8
/**
 * The most spans in memory. A report over 400 days has 100 spans, including the days before, and up to 28 days at their
 * ends.
 */
const SPANS_MAX = 256
/** The most dates in memory, enough for two reports over 400 days, which include the days before. */
const DATES_MAX = 1_600

/**
 * Adds up a range's days. The sums stay in memory while their days have the same revisions, and so do the sums over
 * spans of days. After a change, a report adds up the other spans and the changed span's days, no matter how much
 * happened in them.
 */
export function createReportSums(localDays: LocalDays) {
  const spans = new Revised<Sums>(SPANS_MAX)
  const made = new Revised<unknown>(DATES_MAX)

  async function sumUp(range: Range, dates: readonly string[], revisions: Revisions): Promise<Sums> {
    const sums = noSums()
    for (const date of dates) addDate(sums, date, await localDays.on(range.zone, date, revisions), range)
    return sums
  }

  /** Returns the sums over these dates, and calls `make` if they are not in memory. */
  function known(
    range: Range,
    dates: readonly string[],
    revisions: Revisions,
    make: () => Promise<Sums>,
  ): Promise<Sums> {
    const key = `${range.zone} ${range.filter} ${dates[0]} ${dates.length}`
    return spans.get(key, revisionOf(dates, revisions), make)
  }

  return {
    /** Returns the sums over the dates. Callers share the result and must not change it. */
    async of(range: Range, dates: readonly string[]): Promise<Sums> {
      const revisions = await localDays.revisions(dates)
      return known(range, dates, revisions, async () => {
        const sums = noSums()
        for (const span of spansOf(dates)) {
          addSums(sums, await known(range, span, revisions, () => sumUp(range, span, revisions)))
        }
        return sums
      })
    },

    /** Returns `make`'s results for each date's figures, in order. They are cached by `purpose`. */
    async byDate<T>(
      range: Range,
      dates: readonly string[],
      purpose: string,
      make: (date: string, figures: Figures) => T,
    ): Promise<T[]> {
      const revisions = await localDays.revisions(dates)
      const found: T[] = []
      for (const date of dates) {
        const key = `${range.zone} ${range.filter} ${purpose} ${date}`
        const value = await made.get(key, revisionOf([date], revisions), async () =>
          make(date, (await sumUp(range, [date], revisions)).totals),
        )
        found.push(value as T)
      }
      return found
    },

    forgetAll(): void {
      spans.clear()
      made.clear()
    },
  }
}

/** Caches values that are made again for another revision. The least recently used values are removed. */
class Revised<T> {
  readonly #max: number
  readonly #values = new Map<string, { revision: string; value: T }>()

  constructor(max: number) {
    this.#max = max
  }

  async get(key: string, revision: string, make: () => Promise<T>): Promise<T> {
    const known = this.#values.get(key)
    const value = known?.revision === revision ? known.value : await make()
    this.#values.delete(key)
    this.#values.set(key, { revision, value })
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#max && oldest !== undefined) this.#values.delete(oldest)
    return value
  }

  clear(): void {
    this.#values.clear()
  }
}

/**
 * Returns whole spans, with the dates before and after them one by one. A span begins at the same date in every range.
 */
function spansOf(dates: readonly string[]): string[][] {
  const bySpan = Map.groupBy(dates, (date) => Math.floor(Date.parse(date) / DAY_MS / SPAN_DAYS))
  return [...bySpan.values()].flatMap((span) =>
    span.length === SPAN_DAYS ? [span] : span.map((date) => [date]),
  )
}

function revisionOf(dates: readonly string[], revisions: Revisions): string {
  const days = new Set(dates.flatMap(daysOf))
  return [...days].map((day) => revisions.get(day) ?? '').join(' ')
}

const noWeek = () => Array.from({ length: 7 }, () => new Array<number>(24).fill(0))

const noSums = (): Sums => ({
  totals: {},
  labels: new Map(),
  sites: new Map(),
  heat: noWeek(),
  slow: { clock: noWeek(), open: noWeek() },
})

function addDate(sums: Sums, date: string, parts: readonly LocalDay[], { includes }: Range): void {
  const weekday = (new Date(date).getUTCDay() + 6) % 7
  const addToDay = (week: number[][], hours: readonly number[]) => addHours(week[weekday] as number[], hours)
  for (const { group, figures, hours, slow } of parts.flatMap(({ groups }) => groups)) {
    if (!includes(group)) continue
    addFigures(sums.totals, figures)
    addFigures(at(sums.sites, group.siteId ?? 'own'), figures)
    for (const label of group.labels) addFigures(at(sums.labels, label), figures)
    addToDay(sums.heat, hours)
    addToDay(sums.slow.clock, slow.clock)
    addToDay(sums.slow.open, slow.open)
  }
}

function addSums(to: Sums, from: Sums): void {
  addFigures(to.totals, from.totals)
  for (const [site, figures] of from.sites) addFigures(at(to.sites, site), figures)
  for (const [label, figures] of from.labels) addFigures(at(to.labels, label), figures)
  addWeek(to.heat, from.heat)
  addWeek(to.slow.clock, from.slow.clock)
  addWeek(to.slow.open, from.slow.open)
}

function addWeek(to: number[][], from: readonly number[][]): void {
  for (const [day, hours] of from.entries()) addHours(to[day] as number[], hours)
}

function addHours(to: number[], from: readonly number[]): void {
  for (const [hour, count] of from.entries()) to[hour] = (to[hour] ?? 0) + count
}

function at(map: Map<string, Figures>, name: string): Figures {
  const found = map.get(name) ?? {}
  map.set(name, found)
  return found
}
