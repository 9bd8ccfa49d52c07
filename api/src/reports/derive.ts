import type { ReportDay, ReportRepository } from '../storage/port/reports.ts'
import { newEpoch } from '../storage/rules/ids.ts'
import { type HoursPeriod, reportParts } from '../storage/rules/report-parts.ts'
import { type DayFigures, dayOf, dirtyQuarters, firstQuarterOf, sumOf } from './day-figures.ts'

/**
 * Brings the parts of a conversation up to date. Days that change are marked before, so that a process that dies in between
 * leaves nothing wrong unmarked. False when the conversation changed meanwhile: derive it again.
 */
export async function deriveParts(
  reports: ReportRepository,
  clientId: string,
  periods: readonly HoursPeriod[],
  now: number,
): Promise<boolean> {
  const stored = await reports.partsOf(clientId)
  const history = await reports.history(clientId)
  if (history === null) {
    await markDirty(
      reports,
      stored.map(({ quarter }) => quarter),
    )
    await reports.forget(clientId)
    return true
  }
  const { epoch, seq, n, group } = history
  const { parts, dueAt } = reportParts(history, periods, now)
  const rows = [...parts].map(([quarter, part]) => {
    const _id = `${clientId} ${quarter}`
    return { _id, clientId, epoch, quarter, data: JSON.stringify({ group, part }) }
  })
  const known = new Map(stored.map((row) => [row._id, row]))
  const changed = rows.filter(
    ({ _id, data }) => known.get(_id)?.data !== data || known.get(_id)?.epoch !== epoch,
  )
  const others = stored.filter((row) => row.epoch !== epoch)
  await markDirty(
    reports,
    [...changed, ...others].map(({ quarter }) => quarter),
  )
  // A part without progress would not be found.
  if (stored.length === 0) await reports.setProgress({ clientId, epoch, seq: 0, n: 0, dueAt: null })
  for (const row of others) await reports.removePart(row)
  for (const row of changed) await reports.putPart(row)
  await reports.setProgress({ clientId, epoch, seq, n, dueAt })
  const head = await reports.head(clientId)
  return head !== null && head.epoch === epoch && head.seq <= seq && head.n <= n
}

export async function markDirty(reports: ReportRepository, quarters: readonly number[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(quarters, dayOf)) {
    for (;;) {
      const found = await reports.day(day)
      const dirty = [...new Set([...(found === null ? [] : dirtyQuarters(found)), ...ofDay])]
      // A new revision also where nothing is added: sums that are being made must not be stored.
      const marked = { revision: newEpoch(), dirty: dirty.join(' '), dirtyCount: dirty.length }
      const row: ReportDay = { day, data: found?.data ?? '{}', ...marked }
      if (await reports.setDay(row, found?.revision ?? null)) break
    }
  }
}

/** Makes the sums of a day that are old. Without effect when the day changes meanwhile: it is still marked then. */
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
