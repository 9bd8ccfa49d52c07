import { setImmediate as nextTurn } from 'node:timers/promises'
import { newEpoch } from '../storage/model/ids.ts'
import { type HoursPeriod, type ReportParts, reportPartSteps } from '../storage/model/reports/report-parts.ts'
import type {
  ReportDay,
  ReportPartRow,
  ReportProgress,
  ReportRepository,
} from '../storage/model/reports/report-tables.ts'
import { type DayFigures, dayOf, dirtyQuarters, firstQuarterOf, sumOf } from './day-figures.ts'

interface Derivation {
  periods: readonly HoursPeriod[]
  now: number
  mayRest: MayRest
}

/** The most parts in one commit, and in one read. Each takes some milliseconds. */
const WRITES_AT_ONCE = 250
const READS_AT_ONCE = 500

/** The writes of a derivation have ended after this time, those that came late and those of a process that died too. */
const ENDED_AFTER_MS = 60_000

/**
 * Brings conversations' parts up to date. A process can die between two writes, and another one can make a day's sums at
 * any time. So the progress says that parts are being written until the days are marked behind them; while it says so, all
 * of the conversation's days are marked again. Two processes that derive the same conversation notice each other, because
 * each change of the progress names what it replaces. Writes that happen at once share a commit. Returns the conversations
 * that must be derived again.
 * @see docs/decisions/0085-figures-of-reports.md
 */
export async function deriveParts(
  reports: ReportRepository,
  clientIds: readonly string[],
  at: Derivation,
): Promise<string[]> {
  const changes = await Promise.all(clientIds.map((clientId) => changesOf(reports, clientId, at)))
  const begun = await those(changes, async ({ before, during }) => {
    return during === before || during === null || reports.setProgress(during, before)
  })
  const writes = begun.flatMap(({ parts, others, known }) => [
    ...others.map((row) => () => reports.removePart(row)),
    ...parts.map((row) => () => reports.putPart(row, known.has(row._id))),
  ])
  for (let from = 0; from < writes.length; from += WRITES_AT_ONCE) {
    await Promise.all(writes.slice(from, from + WRITES_AT_ONCE).map((write) => write()))
  }
  await markDirty(
    reports,
    begun.flatMap(({ dirty }) => dirty),
  )
  const ended = await those(begun, (change) => end(reports, change))
  const current = new Set(ended.map(({ clientId }) => clientId))
  return clientIds.filter((clientId) => !current.has(clientId))
}

interface Changes {
  clientId: string
  /** The progress at the beginning, while parts are written, and at the end. Null stands for none. */
  before: ReportProgress | null
  during: ReportProgress | null
  after: ReportProgress | null
  /** Whether another derivation may still be writing. The progress stays as it is then, until it is due. */
  mayHaveWriter: boolean
  /** The parts to store, and those to remove. */
  parts: ReportPartRow[]
  others: ReportPartRow[]
  /** The IDs of the parts that are stored. */
  known: ReadonlySet<string>
  /** The quarter-hours to mark. */
  dirty: number[]
}

async function changesOf(
  reports: ReportRepository,
  clientId: string,
  { periods, now, mayRest }: Derivation,
): Promise<Changes> {
  const before = await reports.progressOf(clientId)
  const stored = await storedParts(reports, clientId, mayRest)
  const history = await reports.history(clientId)
  const { parts, dueAt } =
    history === null ? NOTHING : await inSlices(reportPartSteps(history, periods, now), mayRest)
  // A conversation that becomes spam loses its parts.
  const isPart = ({ epoch, quarter }: ReportPartRow) => epoch === history?.epoch && parts.has(quarter)
  const others = stored.filter((row) => !isPart(row))
  const known = new Map(stored.filter(isPart).map((row) => [row._id, row.data]))
  const changed: ReportPartRow[] = []
  if (history !== null) {
    const { epoch, group } = history
    for (const [quarter, part] of parts) {
      await mayRest()
      const _id = `${clientId} ${quarter}`
      const data = JSON.stringify({ group, part })
      if (known.get(_id) !== data) changed.push({ _id, clientId, epoch, quarter, data })
    }
  }
  const isInterrupted = before !== null && before.seq === 0
  const marked = [...changed, ...(isInterrupted ? stored : others)]
  const token = { clientId, epoch: newEpoch(), seq: 0, n: 0, dueAt: now + ENDED_AFTER_MS }
  return {
    clientId,
    before,
    during: changed.length + others.length > 0 ? token : before,
    after: history && { clientId, epoch: history.epoch, seq: history.seq, n: history.n, dueAt },
    mayHaveWriter: isInterrupted && (before.dueAt ?? 0) > now,
    parts: changed,
    others,
    known: new Set(known.keys()),
    dirty: marked.map(({ quarter }) => quarter),
  }
}

async function storedParts(
  reports: ReportRepository,
  clientId: string,
  mayRest: MayRest,
): Promise<ReportPartRow[]> {
  const parts: ReportPartRow[] = []
  for (;;) {
    const page = await reports.partsOf(clientId, { after: parts.at(-1)?._id, limit: READS_AT_ONCE })
    parts.push(...page)
    if (page.length < READS_AT_ONCE) return parts
    await mayRest()
  }
}

const NOTHING: ReportParts = { parts: new Map(), dueAt: null }

/** Stores the progress at the end. Returns whether the conversation is as it was derived. */
async function end(
  reports: ReportRepository,
  { clientId, during, after, mayHaveWriter }: Changes,
): Promise<boolean> {
  if (after === null) return mayHaveWriter || during === null || reports.removeProgress(during)
  if (!mayHaveWriter && !(await reports.setProgress(after, during))) return false
  const head = await reports.head(clientId)
  return head !== null && head.epoch === after.epoch && head.seq <= after.seq && head.n <= after.n
}

/** Returns the rows for which the function resolves to true. It runs for all of them at once. */
async function those<T>(rows: readonly T[], isOne: (row: T) => Promise<boolean>): Promise<T[]> {
  const found = await Promise.all(rows.map(isOne))
  return rows.filter((_, index) => found[index])
}

/** Work that takes this long is followed by a rest. */
const SLICE_MS = 5

/** Lets other work run when this work has taken its time. */
export type MayRest = () => Promise<void>

/** Creates the rests of one process. All conversations that it derives at once share them. */
export function createRests(): MayRest {
  let workedSince = 0
  let resting: Promise<void> | undefined
  return async () => {
    if (performance.now() - workedSince < SLICE_MS) return
    resting ??= nextTurn().then(() => {
      workedSince = performance.now()
      resting = undefined
    })
    await resting
  }
}

async function inSlices<T>(steps: Iterator<unknown, T>, mayRest: MayRest): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await mayRest()
  }
}

export async function markDirty(reports: ReportRepository, quarters: readonly number[]): Promise<void> {
  const days = Map.groupBy(quarters, dayOf)
  const mark = async ([day, ofDay]: [string, number[]]) => {
    for (;;) {
      const found = await reports.mark(day)
      const dirty = [...new Set([...(found === null ? [] : dirtyQuarters(found)), ...ofDay])]
      // The revision is new even if nothing is added, because sums that are being made must not be stored.
      const marked = { revision: newEpoch(), dirty: dirty.join(' '), dirtyCount: dirty.length }
      if (await reports.setDay({ day, ...marked }, found?.revision ?? null)) return
    }
  }
  await Promise.all([...days].map(mark))
}

/** Makes a day's old sums again. Has no effect if the day changes in the meantime, because it is still marked then. */
export async function sumDay(reports: ReportRepository, found: ReportDay, mayRest: MayRest): Promise<void> {
  const figures = JSON.parse(found.data) as DayFigures
  for (const quarter of dirtyQuarters(found)) {
    await mayRest()
    // The kept figures are read first, because an erase stores them after it has removed the parts.
    const kept = await reports.keptIn(quarter)
    const sum = sumOf(await reports.partsIn(quarter), kept)
    const ofDay = quarter - firstQuarterOf(found.day)
    if (sum.groups.length === 0) delete figures[ofDay]
    else figures[ofDay] = sum
  }
  const data = JSON.stringify(figures)
  await reports.setDay(
    { day: found.day, revision: newEpoch(), dirty: '', dirtyCount: 0, data },
    found.revision,
  )
}
