/**
 * Derives what conversations add to the reports' figures. It is pure, so a recount from the logs gives the same
 * figures.
 */

import { isTimeZone, openTime } from '@proctorpass/shared/hours'
import type { Hours } from '@proctorpass/shared/schemas/settings'
import type { ActivityRecord } from '../conversation/conversation.ts'

export const QUARTER_MS = 15 * 60 * 1_000

/** An episode without an answer for this long is missed. */
const MISSED_MS = 24 * 60 * 60 * 1_000

/** The number of messages in one step. */
const STEP = 1_000

/** The properties by which figures are grouped, as the conversation has them now. */
export interface ReportGroup {
  /** Null for our own pages. */
  siteId: string | null
  assigneeId: string | null
  labels: readonly string[]
}

/** A conversation's messages and entries, as far as figures need them. */
export interface ReportHistory {
  clientId: string
  epoch: string
  /** The number of the newest message. `n` is the number of the newest entry. */
  seq: number
  n: number
  group: ReportGroup
  /** The messages in the order of seq. */
  messages: readonly { seq: number; senderId: string; createdAt: number }[]
  /** The entries that figures need, in the order of n. */
  entries: readonly ReportEntry[]
  /** True if the conversation is spam, which adds nothing to the figures. */
  isSpam: boolean
}

export interface ReportEntry {
  afterSeq: number
  at: number
  /** What the entry says: a resolve, a rating's score, or the newest message that needs no answer. */
  is: 'resolve' | { score: number } | { upTo: number | null }
}

/** Returns what figures need from a log. Every change of the status has an entry, so the newest one tells the status. */
export function logForReport(
  entries: readonly Pick<ActivityRecord, 'kind' | 'afterSeq' | 'at' | 'data'>[],
): Pick<ReportHistory, 'entries' | 'isSpam'> {
  const newest = entries.findLast(({ kind }) => kind === 'status')
  const isSpam = (newest?.data as { to?: string } | undefined)?.to === 'spam'
  return { entries: resolvesAndRatings(entries), isSpam }
}

function resolvesAndRatings(
  entries: readonly Pick<ActivityRecord, 'kind' | 'afterSeq' | 'at' | 'data'>[],
): ReportHistory['entries'] {
  return entries.flatMap(({ kind, afterSeq, at, data }): ReportEntry[] => {
    if (kind === 'rating') return [{ afterSeq, at, is: { score: (data as { score: number }).score } }]
    if (kind === 'settled') return [{ afterSeq, at, is: { upTo: (data as { upTo: number | null }).upTo } }]
    const isResolve = kind === 'status' && (data as { to: string }).to === 'resolved'
    return isResolve ? [{ afterSeq, at, is: 'resolve' }] : []
  })
}

/**
 * Opening hours and the time since which they are in force. Periods are in order; the first one also counts before its
 * time.
 */
export interface HoursPeriod {
  since: number
  hours: Hours | null
}

/** A duration in milliseconds, and the part of it inside the opening hours. */
export interface Duration {
  clock: number
  open: number
}

export interface Wait extends Duration {
  at: number
  /** The sender whose answer ended the wait. */
  by: string
  isFirst: boolean
}

/** One conversation's part in one quarter-hour. */
export interface ReportPart {
  /** True if the conversation's first message is here. */
  begins: boolean
  messagesIn: number
  messagesOut: Record<string, number>
  /** The episodes that began here. */
  episodes: { at: number; missed: boolean }[]
  /** The answered waits that began here. */
  waits: Wait[]
  /** The episodes that were resolved here, with the time since they began. */
  resolutions: Duration[]
  /** The scores of ratings, 1 to 5. */
  scores: number[]
}

export interface ReportParts {
  /** The parts by quarter-hours since 1970 UTC. */
  parts: Map<number, ReportPart>
  /** The time at which an unanswered episode will count as missed, or null. */
  dueAt: number | null
}

interface Episode {
  at: number
  /** The first answered wait. Null without one. */
  firstWait: number | null
  /** When the wait without an answer began. Null if the visitor does not wait, or did not when it was resolved. */
  waitsSince: number | null
  isResolved: boolean
}

/** Runs all steps of `reportPartSteps` at once. */
export function reportParts(...args: Parameters<typeof reportPartSteps>): ReportParts {
  const steps = reportPartSteps(...args)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Derives the parts. An episode lasts from a visitor's message until it is resolved. Reopening by an admin begins none.
 * Spam has no parts. Yields after STEP messages, about half a millisecond of work, because a conversation can be long.
 */
export function* reportPartSteps(
  history: ReportHistory,
  periods: readonly HoursPeriod[],
  now: number,
): Generator<undefined, ReportParts> {
  const parts = new Map<number, ReportPart>()
  if (history.isSpam) return { parts, dueAt: null }
  const partAt = (time: number) => {
    const quarter = quarterOf(time)
    const part = parts.get(quarter) ?? emptyPart()
    parts.set(quarter, part)
    return part
  }
  const duration = (from: number, to: number): Duration => {
    const end = Math.max(from, to)
    return { clock: end - from, open: openTime(hoursAt(periods, end), from, end) }
  }
  const episodes: Episode[] = []
  let episode: Episode | null = null
  /** The visitor's messages since the last answer or resolve. */
  let unanswered: { seq: number; at: number }[] = []
  /** The newest messages that admins said need no answer, without what they took back. */
  const settled: number[] = []
  let next = 0

  function waitsSince(): number | null {
    const settledSeq = Math.max(0, ...settled)
    return unanswered.find(({ seq }) => seq > settledSeq)?.at ?? null
  }

  function addEntry({ at, is }: ReportEntry): void {
    if (is === 'resolve') {
      if (episode === null) return
      Object.assign(episode, { isResolved: true, waitsSince: waitsSince() })
      partAt(at).resolutions.push(duration(episode.at, at))
      episode = null
      unanswered = []
    } else if ('score' in is) partAt(at).scores.push(is.score)
    else if (is.upTo === null) settled.pop()
    else settled.push(is.upTo)
  }

  function addEntries(before: number): void {
    for (; next < history.entries.length; next++) {
      const entry = history.entries[next] as ReportEntry
      if (entry.afterSeq >= before) return
      addEntry(entry)
    }
  }

  for (const { seq, senderId, createdAt } of history.messages) {
    addEntries(seq)
    if (seq % STEP === 0) yield
    const part = partAt(createdAt)
    if (seq === 1) part.begins = true
    if (senderId === history.clientId) {
      part.messagesIn += 1
      if (episode === null) {
        episode = { at: createdAt, firstWait: null, waitsSince: null, isResolved: false }
        episodes.push(episode)
      }
      unanswered.push({ seq, at: createdAt })
      continue
    }
    part.messagesOut[senderId] = (part.messagesOut[senderId] ?? 0) + 1
    const since = episode && waitsSince()
    unanswered = []
    if (episode === null || since === null) continue
    const isFirst: boolean = episode.firstWait === null
    const wait = { at: since, by: senderId, isFirst, ...duration(since, createdAt) }
    partAt(since).waits.push(wait)
    episode.firstWait ??= createdAt - since
  }
  addEntries(Number.POSITIVE_INFINITY)
  if (episode !== null) Object.assign(episode, { waitsSince: waitsSince() })

  let dueAt: number | null = null
  for (const { at, firstWait, waitsSince: since, isResolved } of episodes) {
    const isUnanswered = firstWait === null && since !== null
    const isLate = isUnanswered ? now - since >= MISSED_MS : (firstWait ?? 0) >= MISSED_MS
    partAt(at).episodes.push({ at, missed: isLate || (isUnanswered && isResolved) })
    if (isUnanswered && !isResolved && !isLate) dueAt = since + MISSED_MS
  }
  return { parts, dueAt }
}

function quarterOf(time: number): number {
  return Math.floor(time / QUARTER_MS)
}

function hoursAt(periods: readonly HoursPeriod[], time: number): Hours | null {
  return (periods.findLast(({ since }) => since <= time) ?? periods[0])?.hours ?? null
}

export function emptyPart(): ReportPart {
  return {
    begins: false,
    messagesIn: 0,
    messagesOut: {},
    episodes: [],
    waits: [],
    resolutions: [],
    scores: [],
  }
}

/**
 * Returns the stored settings' opening hours. Settings from an older release have no history, so their hours count for
 * all times. A restored zone that this machine does not know stands for no hours, as it does in the settings.
 */
export function hoursPeriods(settings: unknown): HoursPeriod[] {
  const { hours = null, hoursHistory } = (settings ?? {}) as {
    hours?: Hours | null
    hoursHistory?: HoursPeriod[]
  }
  return (hoursHistory ?? [{ since: 0, hours }]).map((period) => ({
    ...period,
    hours: period.hours !== null && isTimeZone(period.hours.timeZone) ? period.hours : null,
  }))
}
