import { createHash } from 'node:crypto'
import type { KeptFigures, ReportHead, ReportPartRow, ReportProgress } from '../port/reports.ts'
import { figuresOf, type GroupFigures } from './report-figures.ts'
import {
  type HoursPeriod,
  type ReportGroup,
  type ReportHistory,
  type ReportPart,
  reportParts,
} from './report-parts.ts'

/** What stays of the figures of a conversation that is erased. Its labels go: admins can write names in them. */
export function keptFigures(
  history: ReportHistory,
  periods: readonly HoursPeriod[],
  now: number,
): KeptFigures[] {
  const { epoch, group } = history
  const { parts } = reportParts(history, periods, now)
  return [...parts].map(([quarter, part]) => kept(epoch, quarter, group, part))
}

/** The same, of stored parts for which `isCurrent` holds: reading a long history again would hold up others. */
export function keptFiguresOfParts(rows: readonly ReportPartRow[]): KeptFigures[] {
  return rows.map(({ epoch, quarter, data }) => {
    const { group, part } = JSON.parse(data) as { group: ReportGroup; part: ReportPart }
    return kept(epoch, quarter, group, part)
  })
}

/** Whether the stored parts have all of the conversation, as it is now. */
export function isCurrent({ epoch, seq, n }: ReportHead, progress: ReportProgress, now: number): boolean {
  const isSame = progress.epoch === epoch && progress.seq === seq && progress.n === n
  return isSame && (progress.dueAt === null || progress.dueAt > now)
}

function kept(epoch: string, quarter: number, group: ReportGroup, part: ReportPart): KeptFigures {
  const figures: GroupFigures = { group: { ...group, labels: [] }, figures: figuresOf(part) }
  const _id = createHash('sha256').update(`${epoch} ${quarter}`).digest('base64url')
  return { _id, quarter, data: JSON.stringify(figures) }
}
