import { createHash } from 'node:crypto'
import { addHistogram, bucketOf, type Histogram } from './histograms.ts'
import {
  type Duration,
  emptyPart,
  type HoursPeriod,
  type ReportGroup,
  type ReportHistory,
  type ReportPart,
  reportParts,
} from './report-parts.ts'
import type { KeptFigures, ReportHead, ReportPartRow, ReportProgress } from './report-tables.ts'

export const COUNTS = [
  'conversations',
  'episodes',
  'resolved',
  'missed',
  'messagesIn',
  'messagesOut',
] as const

export type Count = (typeof COUNTS)[number]

export const DURATIONS = ['firstWait', 'wait', 'resolution'] as const

export type DurationName = (typeof DURATIONS)[number]

export interface Histograms {
  clock: Histogram
  open: Histogram
}

/** The messages and waits of one admin or key. */
export interface SenderFigures {
  messagesOut?: number
  firstWait?: Histograms
  wait?: Histograms
}

/** Figures that can be added together. Missing figures are 0. */
export type Figures = { [C in Count]?: number } & { [D in DurationName]?: Histograms } & {
  /** The number of times that each score was given, from 1 to 5. */
  scores?: number[]
  /** The figures by user ID, or by `key:` and an API key's ID. */
  senders?: Record<string, SenderFigures>
}

export interface GroupFigures {
  group: ReportGroup
  figures: Figures
}

export function figuresOf(part: ReportPart): Figures {
  const figures: Figures = {}
  const add = (name: Count, by: number) => {
    if (by > 0) figures[name] = (figures[name] ?? 0) + by
  }
  const senderOf = (senderId: string) => {
    figures.senders ??= {}
    figures.senders[senderId] ??= {}
    return figures.senders[senderId]
  }
  if (part.begins) add('conversations', 1)
  add('messagesIn', part.messagesIn)
  for (const [senderId, count] of Object.entries(part.messagesOut)) {
    add('messagesOut', count)
    senderOf(senderId).messagesOut = count
  }
  for (const { missed } of part.episodes) {
    add('episodes', 1)
    if (missed) add('missed', 1)
  }
  for (const wait of part.waits) {
    const sender = senderOf(wait.by)
    figures.wait = withDuration(figures.wait, wait)
    sender.wait = withDuration(sender.wait, wait)
    if (!wait.isFirst) continue
    figures.firstWait = withDuration(figures.firstWait, wait)
    sender.firstWait = withDuration(sender.firstWait, wait)
  }
  for (const resolution of part.resolutions) {
    add('resolved', 1)
    figures.resolution = withDuration(figures.resolution, resolution)
  }
  for (const score of part.scores) {
    figures.scores ??= [0, 0, 0, 0, 0]
    figures.scores[score - 1] = (figures.scores[score - 1] ?? 0) + 1
  }
  return figures
}

function withDuration(
  histograms: Histograms = { clock: {}, open: {} },
  { clock, open }: Duration,
): Histograms {
  addHistogram(histograms.clock, { [bucketOf(clock)]: 1 })
  addHistogram(histograms.open, { [bucketOf(open)]: 1 })
  return histograms
}

export function addFigures(to: Figures, from: Figures): void {
  for (const name of COUNTS) if (from[name]) to[name] = (to[name] ?? 0) + from[name]
  addDurations(to, from)
  if (from.scores !== undefined) {
    const scores = to.scores ?? [0, 0, 0, 0, 0]
    to.scores = scores.map((count, index) => count + (from.scores?.[index] ?? 0))
  }
  for (const [senderId, sender] of Object.entries(from.senders ?? {})) {
    to.senders ??= {}
    const known = to.senders[senderId] ?? {}
    to.senders[senderId] = known
    if (sender.messagesOut) known.messagesOut = (known.messagesOut ?? 0) + sender.messagesOut
    addDurations(known, sender)
  }
}

function addDurations(to: Pick<Figures, DurationName>, from: Pick<Figures, DurationName>): void {
  for (const name of DURATIONS) {
    const added = from[name]
    if (added === undefined) continue
    const known = to[name] ?? { clock: {}, open: {} }
    to[name] = known
    addHistogram(known.clock, added.clock)
    addHistogram(known.open, added.open)
  }
}

/** Adds to the group's sums. Returns the group's name in the map. */
export function addGroup(groups: Map<string, GroupFigures>, { group, figures }: GroupFigures): string {
  const name = JSON.stringify([group.siteId, group.assigneeId, group.labels])
  const known = groups.get(name) ?? { group, figures: {} }
  groups.set(name, known)
  addFigures(known.figures, figures)
  return name
}

/**
 * Returns the figures that stay when a conversation is erased. Its labels are dropped, because admins can write names
 * in them.
 */
export function keptFigures(
  history: ReportHistory,
  periods: readonly HoursPeriod[],
  now: number,
): KeptFigures[] {
  const { epoch, group } = history
  const { parts } = reportParts(history, periods, now)
  return [...parts].map(([quarter, part]) => kept(epoch, quarter, group, part))
}

/**
 * Returns the same from current stored parts (`isCurrent`), because reading a long history again would delay other
 * writes.
 */
export function keptFiguresOfParts(rows: readonly ReportPartRow[]): KeptFigures[] {
  return rows.map(({ epoch, quarter, data }) => {
    const { group, part } = JSON.parse(data) as { group: ReportGroup; part: ReportPart }
    return kept(epoch, quarter, group, part)
  })
}

/** Returns whether the stored parts cover the whole conversation as it is now. */
export function isCurrent({ epoch, seq, n }: ReportHead, progress: ReportProgress, now: number): boolean {
  const isSame = progress.epoch === epoch && progress.seq === seq && progress.n === n
  return isSame && (progress.dueAt === null || progress.dueAt > now)
}

/**
 * Returns rows without figures for quarter-hours that have parts but no kept figures, because the parts were old. They
 * let the comparison find sums that still have these parts.
 */
export function keptWithoutFigures(
  epoch: string,
  quarters: readonly number[],
  known: readonly KeptFigures[],
): KeptFigures[] {
  const have = new Set(known.map(({ quarter }) => quarter))
  const group = { siteId: null, assigneeId: null, labels: [] }
  return quarters
    .filter((quarter) => !have.has(quarter))
    .map((quarter) => kept(epoch, quarter, group, emptyPart()))
}

function kept(epoch: string, quarter: number, group: ReportGroup, part: ReportPart): KeptFigures {
  const figures: GroupFigures = { group: { ...group, labels: [] }, figures: figuresOf(part) }
  const _id = createHash('sha256').update(`${epoch} ${quarter}`).digest('base64url')
  return { _id, quarter, data: JSON.stringify(figures) }
}
