import { setImmediate as nextTurn } from 'node:timers/promises'
import { newEpoch } from '../storage/model/ids.ts'
import { type HoursPeriod, reportPartSteps } from '../storage/model/reports/report-parts.ts'
import type { ReportDay, ReportPartRow, ReportRepository } from '../storage/model/reports/report-tables.ts'
import { type DayFigures, dayOf, dirtyQuarters, firstQuarterOf, sumOf } from './day-figures.ts'

interface Derivation {
  periods: readonly HoursPeriod[]
  now: number
  mayRest: MayRest
}

/**
 * Brings conversations' parts up to date. Days that change are marked before the write, so that a process that dies in
 * between leaves nothing wrong unmarked, and after it, because another node may have made their sums from the old parts
 * in the meantime. Writes that happen at once share a commit. Returns the conversations that changed in the meantime
 * and must be derived again.
 */
export async function deriveParts(
  reports: ReportRepository,
  clientIds: readonly string[],
  at: Derivation,
): Promise<string[]> {
  const changes = await Promise.all(clientIds.map((clientId) => changesOf(reports, clientId, at)))
  const quarters = changes.flatMap(({ dirty }) => dirty)
  await markDirty(reports, quarters)
  // A part without progress would not be found, so progress is stored first.
  await Promise.all(
    changes.map(({ progress, known }) =>
      progress === null || known.size > 0
        ? undefined
        : reports.setProgress({ ...progress, seq: 0, n: 0, dueAt: null }),
    ),
  )
  await Promise.all(
    changes.map(async ({ clientId, progress, parts, others, known }) => {
      if (progress === null) return reports.forget(clientId)
      await Promise.all(others.map((row) => reports.removePart(row)))
      await Promise.all(parts.map((row) => reports.putPart(row, known.has(row._id))))
    }),
  )
  await markDirty(reports, quarters)
  const left = await Promise.all(
    changes.map(async ({ clientId, progress }) => {
      if (progress === null) return []
      await reports.setProgress(progress)
      const head = await reports.head(clientId)
      const { epoch, seq, n } = progress
      return head !== null && head.epoch === epoch && head.seq <= seq && head.n <= n ? [] : [clientId]
    }),
  )
  return left.flat()
}

/** Returns the changes to store for a conversation. `progress` is null if there are no messages. */
async function changesOf(reports: ReportRepository, clientId: string, { periods, now, mayRest }: Derivation) {
  const stored = await reports.partsOf(clientId)
  const history = await reports.history(clientId)
  if (history === null) {
    const dirty = stored.map(({ quarter }) => quarter)
    return { clientId, dirty, progress: null, parts: [], others: [], known: new Set<string>() }
  }
  const { epoch, seq, n, group } = history
  const { parts, dueAt } = await inSlices(reportPartSteps(history, periods, now), mayRest)
  // A conversation that becomes spam loses its parts.
  const others = stored.filter((row) => row.epoch !== epoch || !parts.has(row.quarter))
  const known = new Map(stored.filter((row) => row.epoch === epoch).map((row) => [row._id, row.data]))
  const changed: ReportPartRow[] = []
  for (const [quarter, part] of parts) {
    await mayRest()
    const _id = `${clientId} ${quarter}`
    const data = JSON.stringify({ group, part })
    if (known.get(_id) !== data) changed.push({ _id, clientId, epoch, quarter, data })
  }
  return {
    clientId,
    dirty: [...changed, ...others].map(({ quarter }) => quarter),
    progress: { clientId, epoch, seq, n, dueAt },
    parts: changed,
    others,
    known: new Set(known.keys()),
  }
}

/** Work that takes this long is followed by a rest. */
const SLICE_MS = 5

/** Lets other work run when this work has taken its time. */
type MayRest = () => Promise<void>

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
export async function sumDay(reports: ReportRepository, found: ReportDay): Promise<void> {
  const figures = JSON.parse(found.data) as DayFigures
  for (const quarter of dirtyQuarters(found)) {
    const sum = sumOf(await reports.partsIn(quarter), await reports.keptIn(quarter))
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
