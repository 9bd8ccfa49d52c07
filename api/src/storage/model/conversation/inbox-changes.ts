/**
 * Decides inbox changes for both adapters. The functions are pure, so that a write can decide again after it lost a
 * race.
 */

import { labelKey } from '@proctorpass/shared/label-key'
import type { ActivityKind, Status } from '@proctorpass/shared/schemas/inbox'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import { blockEnd, isBlocked } from './blocks-and-ratings.ts'
import type {
  ActivityRecord,
  Conversation,
  ConversationRecord,
  InboxRecord,
  NewEntry,
  ToStore,
} from './conversation.ts'
import { scheduledAfter } from './scheduled.ts'
import type { ScheduledRecord, WaitingMessages } from './scheduled-records.ts'
import { type SpamMark, unmarked, unmarkedStatus } from './spam.ts'

/**
 * A validated change. Undefined fields stay as they are. `snoozedUntil` is set if and only if the status is `snoozed`.
 * `spam` takes back a mark as spam, and stands without a status.
 */
export interface InboxChange {
  status?: Status | undefined
  snoozedUntil?: number | null | undefined
  spam?: false | undefined
  assigneeId?: string | null | undefined
  labels?: readonly string[] | undefined
  /** Whether the messages up to `upTo`, by default the newest one, need no answer. False takes the last mark back. */
  settled?: boolean | undefined
  upTo?: number | undefined
}

/** The status that a message gives its conversation. `snoozedUntil` is set if and only if the status is `snoozed`. */
export interface StatusThen {
  status: 'resolved' | 'snoozed'
  snoozedUntil: number | null
}

export interface InboxChangeOptions {
  /** The admin, or null for the system. */
  by: string | null
  at: number
  version?: number | undefined
  onlyDueBy?: number
}

/** A stored change: the conversation after it, and one entry for each kind of change. */
export interface InboxChanged {
  conversation: ConversationRecord
  activity: ActivityRecord[]
  /** What waits to be sent, if the change was one of it. */
  scheduled?: readonly ScheduledRecord[]
}

export type InboxOutcome =
  | ({ outcome: 'stored' } & InboxChanged)
  /** The conversation already has that state, so there is no new version and no entry. */
  | { outcome: 'unchanged'; conversation: ConversationRecord }
  | { outcome: 'missing' }
  /** `upTo` is beyond the newest message. */
  | { outcome: 'beyond' }
  /** Another version is stored. */
  | { outcome: 'stale'; conversation: ConversationRecord }

/** The fields that follow from an inbox change. */
type Waiting = Partial<{
  waitingSince: number | null
  settledSeq: number
  rated: false
  spam: SpamMark | null
}>

type NotStored = { outcome: 'stale' } | { outcome: 'unchanged' }

/** Returns whether a change may take a mark back: an admin's reopening takes a resolve back. */
export function takesMarkBack({ status, settled }: InboxChange): boolean {
  return settled === false || status === 'open' || status === 'snoozed'
}

/**
 * Decides on an inbox change. `InboxRepository` describes `version` and `onlyDueBy`. `marks` are the conversation's marks
 * if the change may take one back.
 */
export function decideInboxChange(
  before: Conversation,
  change: InboxChange,
  { by, at, version, onlyDueBy }: InboxChangeOptions,
  marks: Marks = [],
): { outcome: 'missing' } | { outcome: 'beyond' } | NotStored | ToStore<InboxRecord & Waiting> {
  if (before.seq === 0) return { outcome: 'missing' }
  if (change.upTo !== undefined && change.upTo > before.seq) return { outcome: 'beyond' }
  if (version !== undefined && version !== before.version) return { outcome: 'stale' }
  const isDue = onlyDueBy === undefined || (before.snoozedUntil !== null && before.snoozedUntil <= onlyDueBy)
  if (!isDue) return { outcome: 'unchanged' }
  const isRestored = change.spam === false && before.status === 'spam'
  const wanted = isRestored ? { ...change, ...unmarked(before, at) } : change
  const { after, entries } = applyChange(before, wanted, { by, at })
  const isReopened = unmarkedStatus(before) === 'resolved' && mayWait(after) && by !== null
  const isAwake = isReopened || (before.status === 'spam' && mayWait(after))
  const upTo = settledBy(before, change, { isAwake, marks })
  if (upTo !== undefined) entries.push({ kind: 'settled', by, at, data: { upTo } })
  if (entries.length === 0) return { outcome: 'unchanged' }
  const set = { ...after, version: before.version + 1, ...spamAfter(before, after, at) }
  if (after.status === 'resolved' && !isRestored) {
    const rated = unmarkedStatus(before) === 'resolved' ? {} : { rated: false as const }
    return {
      outcome: 'stored',
      set: { ...set, waitingSince: null, settledSeq: before.seq, ...rated },
      entries,
    }
  }
  const takesBack = isReopened || upTo === null
  const settledSeq = takesBack
    ? settledUpTo([...marks, ...entries.map((entry) => ({ ...entry, afterSeq: before.seq }))])
    : Math.max(before.settledSeq, upTo ?? 0)
  if (!mayWait(after)) return { outcome: 'stored', set: { ...set, waitingSince: null, settledSeq }, entries }
  if (upTo === undefined && !isAwake) return { outcome: 'stored', set, entries }
  const waiting = waitingAfter(before, settledSeq, at)
  return { outcome: 'stored', ...waiting, set: { ...set, ...waiting.set }, entries }
}

/** Returns whether the visitor waits for an answer if they have none. */
function mayWait({ status }: InboxRecord): boolean {
  return status !== 'resolved' && status !== 'spam'
}

/**
 * Returns the newest message that a change settles, null if it takes the last one back, or undefined if it does neither.
 * Messages that do not wait need no settling. `isAwake` says that the change itself may make them wait.
 */
function settledBy(
  { seq, settledSeq, waitingSince }: Conversation,
  { settled, upTo = seq }: InboxChange,
  { isAwake, marks }: { isAwake: boolean; marks: Marks },
): number | null | undefined {
  if (settled === undefined) return undefined
  if (!settled) return standing(marks).some(({ kind }) => kind === 'settled') ? null : undefined
  const isNew = isAwake || (waitingSince !== null && upTo > settledSeq)
  return isNew && upTo > 0 ? upTo : undefined
}

/** Returns the mark as spam that a change makes or takes back. */
function spamAfter(before: Conversation, { status }: InboxRecord, at: number): Pick<Waiting, 'spam'> {
  if ((status === 'spam') === (before.status === 'spam')) return {}
  if (before.status === 'spam') return { spam: null }
  const { visitorCount, snoozedUntil } = before
  return { spam: { at, visitorCount, status: before.status, snoozedUntil } }
}

/**
 * Decides on a change of the block. `until` is its end, or null to lift it. A block also resolves the conversation,
 * because its visitor does not wait for an answer, but spam stays spam. Lifting a block reopens nothing. The log of an
 * erased history stays empty. `marks` are the conversation's marks if the block is lifted.
 */
export function decideBlock(
  before: Conversation,
  until: number | null,
  { by, at }: { by: string; at: number },
  marks: Marks = [],
): { outcome: 'unchanged' } | ToStore<{ blockedUntil: number | null } & Partial<InboxRecord & Waiting>> {
  if ((isBlocked(before.blockedUntil, at) ? before.blockedUntil : null) === until) {
    return { outcome: 'unchanged' }
  }
  const set = { blockedUntil: until }
  if (before.seq === 0) return { outcome: 'stored', set, entries: [] }
  const entry: NewEntry = { kind: 'block', by, at, data: { until: blockEnd(until, at) } }
  if (before.status === 'spam') return { outcome: 'stored', set, entries: [entry] }
  if (until === null) {
    if (before.status === 'resolved') return { outcome: 'stored', set, entries: [entry] }
    const waiting = waitingAfter({ ...before, blockedUntil: null }, settledUpTo(marks), at)
    return { outcome: 'stored', ...waiting, set: { ...set, ...waiting.set }, entries: [entry] }
  }
  const resolved = decideInboxChange(before, { status: 'resolved' }, { by, at })
  return resolved.outcome === 'stored'
    ? { outcome: 'stored', set: { ...set, ...resolved.set }, entries: [entry, ...resolved.entries] }
    : { outcome: 'stored', set, entries: [entry] }
}

/** Returns what a new mark does to the waiting time. A blocked visitor does not wait. */
function waitingAfter(
  { seq, blockedUntil }: Conversation,
  settledSeq: number,
  at: number,
): { set: Waiting; waitsAfter?: number } {
  if (isBlocked(blockedUntil, at)) return { set: { waitingSince: null, settledSeq: seq } }
  if (settledSeq >= seq) return { set: { waitingSince: null, settledSeq } }
  return { set: { settledSeq }, waitsAfter: settledSeq }
}

/** The entries in a conversation's log that say which messages wait, the oldest first. */
type Marks = readonly Pick<ActivityRecord, 'kind' | 'by' | 'afterSeq' | 'data'>[]

/** The kinds of those entries. Adapters read the newest MARKS_READ of them. */
export const MARK_KINDS = ['status', 'settled'] as const satisfies ActivityKind[]
export const MARKS_READ = 200

/** Returns the newest message that does not wait, from a conversation's marks. */
function settledUpTo(marks: Marks): number {
  return Math.max(0, ...standing(marks).map(({ seq }) => seq))
}

/**
 * Returns the marks that were not taken back: an admin who reopens a conversation takes every resolve back. Marking as
 * spam and taking that back change nothing, unless the admin reopens what was resolved before.
 */
function standing(marks: Marks): { kind: 'resolve' | 'settled'; seq: number }[] {
  let found: ReturnType<typeof standing> = []
  let beforeSpam: { from: Status; afterSeq: number } | null = null
  for (const { kind, by, afterSeq, data } of marks) {
    if (kind === 'settled') {
      const { upTo } = data as { upTo: number | null }
      if (upTo !== null) found.push({ kind, seq: upTo })
      else {
        const last = found.findLastIndex((mark) => mark.kind === 'settled')
        if (last >= 0) found.splice(last, 1)
      }
    } else if (kind === 'status') {
      const { from, to } = data as { from: Status; to: Status }
      const isSame = from !== 'spam' || beforeSpam?.afterSeq === afterSeq
      const former = from === 'spam' ? (beforeSpam?.from ?? 'open') : from
      beforeSpam = to === 'spam' ? { from, afterSeq } : null
      if (to === 'spam') continue
      if (to === 'resolved') {
        if (former !== 'resolved') found.push({ kind: 'resolve', seq: afterSeq })
      } else if (former === 'resolved' && isSame && by !== null) {
        found = found.filter((mark) => mark.kind !== 'resolve')
      }
    }
  }
  return found
}

/** Returns the state after a change, and an entry for each kind of change. The version stays. */
function applyChange(
  before: InboxRecord,
  change: InboxChange,
  { by, at }: { by: string | null; at: number },
): { after: InboxRecord; entries: NewEntry[] } {
  const entries: NewEntry[] = []
  const status = change.status ?? before.status
  const snoozedUntil =
    status !== 'snoozed'
      ? null
      : change.status === 'snoozed'
        ? (change.snoozedUntil ?? null)
        : before.snoozedUntil
  if (status !== before.status || snoozedUntil !== before.snoozedUntil) {
    const until = snoozedUntil === null ? {} : { until: new Date(snoozedUntil).toISOString() }
    entries.push({ kind: 'status', by, at, data: { from: before.status, to: status, ...until } })
  }
  const assigneeId = change.assigneeId === undefined ? before.assigneeId : change.assigneeId
  if (assigneeId !== before.assigneeId) {
    entries.push({ kind: 'assignee', by, at, data: { from: before.assigneeId, to: assigneeId } })
  }
  const labels = change.labels === undefined ? before.labels : mergeLabels(before.labels, change.labels)
  const added = without(labels, before.labels)
  const removed = without(before.labels, labels)
  if (added.length > 0 || removed.length > 0)
    entries.push({ kind: 'labels', by, at, data: { added, removed } })
  return { after: { status, snoozedUntil, assigneeId, labels, version: before.version }, entries }
}

/**
 * Returns the change that a message makes, or null when it makes none. `adminId` is its sender, null for the visitor. A
 * visitor's message reopens the conversation, unless it is spam. An admin's message takes an unassigned one. An API key's
 * message changes nothing.
 */
export function changeByMessage(
  { status, assigneeId }: Pick<InboxRecord, 'status' | 'assigneeId'>,
  adminId: string | null,
): InboxChange | null {
  if (adminId === null) return status === 'open' || status === 'spam' ? null : { status: 'open' }
  return assigneeId === null && keyIdOf(adminId) === null ? { assigneeId: adminId } : null
}

/** A stored message, as far as it changes the inbox. `by` is its sender, null for the visitor. */
export interface InboxMessage {
  seq: number
  nonce: string
  by: string | null
  at: number
  then?: StatusThen | null | undefined
}

type ChangedByMessages = Partial<InboxRecord & Waiting & { scheduled: WaitingMessages }>

/** An entry that stands behind a message. */
export interface EntryBehind extends NewEntry {
  afterSeq: number
}

/**
 * Returns what messages change, in their order. Each change of the inbox gets its own version. A blocked visitor's message
 * reopens nothing. The waiting time follows from the messages themselves.
 */
export function changesByMessages(
  before: Conversation,
  messages: readonly InboxMessage[],
): { set: ChangedByMessages; entries: EntryBehind[] } {
  let set: ChangedByMessages = {}
  const entries: EntryBehind[] = []
  for (const message of messages) {
    const { seq, by, at, then } = message
    const found = () => ({ ...before, ...set, seq })
    const waiting = scheduledAfter(found().scheduled, message)
    if (waiting !== null) {
      set = { ...set, scheduled: waiting.scheduled }
      entries.push(...waiting.entries.map((entry) => ({ ...entry, afterSeq: seq })))
    }
    const isRefused = by === null && isBlocked(before.blockedUntil, at)
    const taken = isRefused ? null : changeByMessage(found(), by)
    if (taken !== null) {
      const { after, entries: added } = applyChange(found(), taken, { by, at })
      set = { ...set, ...after, version: after.version + 1 }
      entries.push(...added.map((entry) => ({ ...entry, afterSeq: seq })))
    }
    if (by === null || !then) continue
    // The message answers everything before it, so no mark makes anything wait again.
    const decided = decideInboxChange(found(), { ...then }, { by, at })
    if (decided.outcome !== 'stored') continue
    set = { ...set, ...decided.set }
    entries.push(...decided.entries.map((entry) => ({ ...entry, afterSeq: seq })))
  }
  return { set, entries }
}

/** Returns the admins whom an entry concerns: those whom a note mentions, and one to whom another admin assigned it. */
export function concernedBy({ kind, by, data }: Pick<ActivityRecord, 'kind' | 'by' | 'data'>): string[] {
  if (kind === 'note') return (data as { mentions: string[] }).mentions.filter((userId) => userId !== by)
  if (kind !== 'assignee') return []
  const { to } = data as { to: string | null }
  return to === null || to === by ? [] : [to]
}

/** Returns each wanted label once. Labels that the conversation already has keep their spelling. */
function mergeLabels(before: readonly string[], wanted: readonly string[]): string[] {
  const known = new Map(before.map((label) => [labelKey(label), label]))
  const merged = new Map<string, string>()
  for (const label of wanted) {
    const key = labelKey(label)
    if (!merged.has(key)) merged.set(key, known.get(key) ?? label)
  }
  return [...merged.values()]
}

function without(labels: readonly string[], others: readonly string[]): string[] {
  const keys = new Set(others.map(labelKey))
  return labels.filter((label) => !keys.has(labelKey(label)))
}
