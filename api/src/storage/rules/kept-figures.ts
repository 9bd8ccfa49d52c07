import { createHash } from 'node:crypto'
import type { KeptFigures } from '../port/reports.ts'
import { type Figures, figuresOf, type GroupFigures } from './report-figures.ts'
import { type HoursPeriod, type ReportHistory, reportParts } from './report-parts.ts'

/** What stays of the figures of a conversation that is erased. Its labels go: admins can write names in them. */
export function keptFigures(
  history: ReportHistory,
  periods: readonly HoursPeriod[],
  now: number,
): KeptFigures[] {
  const { epoch } = history
  const group = { ...history.group, labels: [] }
  return [...reportParts(history, periods, now).parts].map(([quarter, part]) => {
    const figures: Figures = figuresOf(part)
    const kept: GroupFigures = { group, figures }
    const _id = createHash('sha256').update(`${epoch} ${quarter}`).digest('base64url')
    return { _id, quarter, data: JSON.stringify(kept) }
  })
}
