import { hoursState } from '@proctorpass/shared/hours'
import type { ReportFigures } from '@proctorpass/shared/schemas/report'
import type { Hours } from '@proctorpass/shared/schemas/settings'
import type { HoursPeriod, ReportHistory } from '../src/storage/model/reports/report-parts.ts'

const QUARTER_MS = 15 * 60_000
const DAY_MS = 96 * QUARTER_MS

interface Options {
  from: string
  to: string
  zone: string
  time: 'clock' | 'open'
  periods: readonly HoursPeriod[]
  now: number
}

type Counts = Omit<ReportFigures, 'firstWait' | 'wait' | 'resolution' | 'ratings'>

/** The figures of a report in the simplest way, with each duration in seconds. All times are whole quarter-hours. */
export interface Recount extends Counts {
  firstWait: number[]
  wait: number[]
  resolution: number[]
  scores: number[]
  heat: number[][]
  slow: number[][]
  senders: Record<string, { messagesOut: number; wait: number[] }>
}

type Item = { at: number } & (
  | { kind: 'visitor'; seq: number }
  | { kind: 'resolve' }
  | { kind: 'settled'; upTo: number | null }
  | { kind: 'person'; by: string }
  | { kind: 'rating'; score: number }
)

/** In the order in which it happened. */
function timeline({ clientId, messages, entries }: ReportHistory): Item[] {
  const placed = [
    ...messages.map(({ seq, senderId, createdAt: at }) => {
      const item: Item =
        senderId === clientId ? { kind: 'visitor', seq, at } : { kind: 'person', by: senderId, at }
      return { place: seq, item }
    }),
    ...entries.map(({ afterSeq, at, is }, index) => {
      const item: Item =
        is === 'resolve'
          ? { kind: 'resolve', at }
          : 'score' in is
            ? { kind: 'rating', score: is.score, at }
            : { kind: 'settled', upTo: is.upTo, at }
      return { place: afterSeq + (index + 1) / 10_000, item }
    }),
  ]
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

/** The oldest message that waits at the end of these items. */
function waiting(items: readonly Item[]): Item | undefined {
  const settled: number[] = []
  for (const item of items) {
    if (item.kind !== 'settled') continue
    if (item.upTo === null) settled.pop()
    else settled.push(item.upTo)
  }
  const done = items.findLastIndex(({ kind }) => kind === 'person' || kind === 'resolve')
  return items
    .slice(done + 1)
    .find((item) => item.kind === 'visitor' && settled.every((upTo) => item.seq > upTo))
}

const noWeek = () => Array.from({ length: 7 }, () => new Array<number>(24).fill(0))

/** Every unanswered episode of an erased history has waited for long, because the store's clock is the real one. */
interface Told extends ReportHistory {
  isErased?: boolean
}

export function recount(histories: readonly Told[], options: Options): Recount {
  const sums: Recount = {
    ...{ conversations: 0, episodes: 0, resolved: 0, missed: 0, messagesIn: 0, messagesOut: 0 },
    ...{ firstWait: [], wait: [], resolution: [], scores: [], senders: {} },
    heat: noWeek(),
    slow: noWeek(),
  }
  const { from, to } = options
  const isIn = (at: number) => {
    const { date } = localTime(at, options.zone)
    return date >= from && date <= to
  }
  const senderOf = (by: string) => {
    sums.senders[by] ??= { messagesOut: 0, wait: [] }
    return sums.senders[by]
  }
  const countIn = (week: number[][], at: number) => {
    const { weekday, hour } = localTime(at, options.zone)
    ;(week[weekday] as number[])[hour] = (week[weekday]?.[hour] ?? 0) + 1
  }
  const spent = (since: number, end: number) => durationOf(since, Math.max(since, end), options) / 1_000
  for (const history of histories.filter(({ isSpam }) => !isSpam)) {
    const items = timeline(history)
    const now = history.isErased ? Number.POSITIVE_INFINITY : options.now
    const first = items.find(({ kind }) => kind === 'visitor' || kind === 'person')
    if (first !== undefined && isIn(first.at)) sums.conversations += 1
    for (const [index, item] of items.entries()) {
      const isResolve = ({ kind }: Item) => kind === 'resolve'
      /** Since the last resolve before it. */
      const start = items.slice(0, index).findLastIndex(isResolve) + 1
      const before = items.slice(start, index)
      if (item.kind === 'rating' && isIn(item.at)) sums.scores.push(item.score)
      if (item.kind === 'visitor') {
        if (isIn(item.at)) {
          sums.messagesIn += 1
          countIn(sums.heat, item.at)
        }
        if (before.some(({ kind }) => kind === 'visitor') || !isIn(item.at)) continue
        sums.episodes += 1
        const resolve = items.findIndex((other, at) => at > index && isResolve(other))
        const end = resolve === -1 ? items.length : resolve
        const answer = items.findIndex(
          ({ kind }, at) =>
            at > index && at < end && kind === 'person' && waiting(items.slice(0, at)) !== undefined,
        )
        const waits = waiting(items.slice(0, answer === -1 ? end : answer))
        if (waits === undefined) continue
        const isLate = (items[answer]?.at ?? now) - waits.at >= DAY_MS
        if (isLate || (answer === -1 && resolve !== -1)) sums.missed += 1
      }
      if (item.kind === 'resolve') {
        const began = before.find(({ kind }) => kind === 'visitor')
        if (began === undefined || !isIn(item.at)) continue
        sums.resolved += 1
        sums.resolution.push(spent(began.at, item.at))
      }
      if (item.kind === 'person') {
        if (isIn(item.at)) {
          sums.messagesOut += 1
          senderOf(item.by).messagesOut += 1
        }
        const waited = waiting(items.slice(0, index))
        if (waited === undefined || !isIn(waited.at)) continue
        const wait = spent(waited.at, item.at)
        sums.wait.push(wait)
        if (wait > 15 * 60) countIn(sums.slow, waited.at)
        senderOf(item.by).wait.push(wait)
        // A person's message while no visitor waits answers nothing.
        const isAnswer = ({ kind }: Item, at: number) =>
          kind === 'person' && waiting(items.slice(0, start + at)) !== undefined
        if (!before.some(isAnswer)) sums.firstWait.push(wait)
      }
    }
  }
  return sums
}

function durationOf(from: number, to: number, { time, periods }: Options): number {
  if (time === 'clock') return to - from
  const hours = (periods.filter(({ since }) => since <= to).at(-1) ?? periods[0])?.hours ?? null
  let open = 0
  for (let at = from; at < to; at += QUARTER_MS) if (isOpen(hours, at)) open += QUARTER_MS
  return open
}

const known = new Map<Hours | null, Map<number, boolean>>()

function isOpen(hours: Hours | null, at: number): boolean {
  const ofHours = known.get(hours) ?? new Map<number, boolean>()
  known.set(hours, ofHours)
  const open = ofHours.get(at) ?? hoursState(hours, at).open
  ofHours.set(at, open)
  return open
}

export function localTime(at: number, zone: string): { date: string; weekday: number; hour: number } {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', hourCycle: 'h23' },
  }).formatToParts(at)
  const part = (type: string) => parts.find((of) => of.type === type)?.value ?? ''
  const date = `${part('year')}-${part('month')}-${part('day')}`
  return { date, weekday: (new Date(date).getUTCDay() + 6) % 7, hour: Number(part('hour')) }
}
