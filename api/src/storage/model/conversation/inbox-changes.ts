/**
 * Decides inbox changes for both adapters. The functions are pure, so that a write can decide again after it lost a
 * race.
 */

import { labelKey } from '@proctorpass/shared/label-key'
import type { Status } from '@proctorpass/shared/schemas/inbox'
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
}

export type InboxOutcome =
  | ({ outcome: 'stored' } & InboxChanged)
  /** The conversation already has that state, so there is no new version and no entry. */
  | { outcome: 'unchanged'; conversation: ConversationRecord }
  | { outcome: 'missing' }
  /** Another version is stored. */
  | { outcome: 'stale'; conversation: ConversationRecord }

interface Before extends Conversation {
  /**
   * The time of the oldest message after the newest answer, or null. It is used when an admin undoes a resolve or lifts
   * a block.
   */
  unansweredSince: number | null
  /** The same time, but without the messages that a resolve has settled. It is used when an admin takes back a mark. */
  unsettledSince: number | null
}

/** The fields that follow from an inbox change. */
type Waiting = Partial<{
  waitingSince: number | null
  settledSeq: number
  rated: false
  spam: SpamMark | null
}>

/** Decides on an inbox change. `InboxRepository` describes `version` and `onlyDueBy`. */
export function decideInboxChange(
  before: Before,
  change: InboxChange,
  { by, at, version, onlyDueBy }: InboxChangeOptions,
): { outcome: 'missing' } | { outcome: 'stale' | 'unchanged' } | ToStore<InboxRecord & Waiting> {
  if (before.seq === 0) return { outcome: 'missing' }
  if (version !== undefined && version !== before.version) return { outcome: 'stale' }
  const isDue = onlyDueBy === undefined || (before.snoozedUntil !== null && before.snoozedUntil <= onlyDueBy)
  const isRestored = change.spam === false && before.status === 'spam'
  const wanted = isRestored ? { ...change, ...unmarked(before, at) } : change
  const applied = isDue ? applyChange(before, wanted, { by, at }) : null
  if (applied === null) return { outcome: 'unchanged' }
  const { after, entries } = applied
  const set = {
    ...after,
    ...waitingAfter(before, after, { by, at, isRestored }),
    ...spamAfter(before, after, at),
  }
  return { outcome: 'stored', set, entries }
}

/** Returns the mark as spam that a change makes or takes back. */
function spamAfter(before: Before, { status }: InboxRecord, at: number): Pick<Waiting, 'spam'> {
  if ((status === 'spam') === (before.status === 'spam')) return {}
  if (before.status === 'spam') return { spam: null }
  const { visitorCount, snoozedUntil } = before
  return { spam: { at, visitorCount, status: before.status, snoozedUntil } }
}

/**
 * Decides on a change of the block. `until` is its end, or null to lift it. A block also resolves the conversation,
 * because its visitor does not wait for an answer, but spam stays spam. Lifting a block reopens nothing. The log of an
 * erased history stays empty.
 */
export function decideBlock(
  before: Before,
  until: number | null,
  { by, at }: { by: string; at: number },
): { outcome: 'unchanged' } | ToStore<{ blockedUntil: number | null } & Partial<InboxRecord & Waiting>> {
  if ((isBlocked(before.blockedUntil, at) ? before.blockedUntil : null) === until) {
    return { outcome: 'unchanged' }
  }
  const set = { blockedUntil: until }
  if (before.seq === 0) return { outcome: 'stored', set, entries: [] }
  const entry: NewEntry = { kind: 'block', by, at, data: { until: blockEnd(until, at) } }
  if (before.status === 'spam') return { outcome: 'stored', set, entries: [entry] }
  if (until === null) {
    const waiting =
      before.status === 'resolved' ? {} : { waitingSince: before.unansweredSince, settledSeq: 0 }
    return { outcome: 'stored', set: { ...set, ...waiting }, entries: [entry] }
  }
  const resolved = decideInboxChange(before, { status: 'resolved' }, { by, at })
  return resolved.outcome === 'stored'
    ? { outcome: 'stored', set: { ...set, ...resolved.set }, entries: [entry, ...resolved.entries] }
    : { outcome: 'stored', set, entries: [entry] }
}

/**
 * Returns what resolving, or undoing it, does to the waiting time. A message that reopens the conversation has its own
 * waiting time. A blocked visitor does not wait, and neither does one whose conversation is spam. Taking back a mark
 * leaves what the last resolve has settled.
 */
function waitingAfter(
  before: Before,
  after: InboxRecord,
  { by, at, isRestored }: { by: string | null; at: number; isRestored: boolean },
): Waiting {
  if (after.status === 'spam') return { waitingSince: null }
  const status = unmarkedStatus(before)
  if (after.status === 'resolved') {
    if (isRestored) return { waitingSince: null }
    const rated = status === 'resolved' ? {} : { rated: false as const }
    return { waitingSince: null, settledSeq: before.seq, ...rated }
  }
  const isReopened = status === 'resolved' && by !== null
  if (!isReopened && before.status !== 'spam') return {}
  if (isBlocked(before.blockedUntil, at)) return { waitingSince: null, settledSeq: before.seq }
  if (isReopened) return { waitingSince: before.unansweredSince, settledSeq: 0 }
  return { waitingSince: before.unsettledSince }
}

/** Returns the state after a change and an entry for each kind of change, or null when nothing changes. */
function applyChange(
  before: InboxRecord,
  change: InboxChange,
  { by, at }: { by: string | null; at: number },
): { after: InboxRecord; entries: NewEntry[] } | null {
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
  if (entries.length === 0) return null
  return { after: { status, snoozedUntil, assigneeId, labels, version: before.version + 1 }, entries }
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

/**
 * Returns what several messages change together. Each change gets its own version. `messages` says whether one of them is
 * the visitor's, and which admin wrote the first one.
 */
export function changesByMessages(
  before: InboxRecord,
  { ofVisitor, adminId, at }: { ofVisitor: boolean; adminId: string | null; at: number },
): { after: InboxRecord; entries: NewEntry[] } {
  let after = before
  const entries: NewEntry[] = []
  for (const by of [...(ofVisitor ? [null] : []), ...(adminId === null ? [] : [adminId])]) {
    const change = changeByMessage(after, by)
    const applied = change && applyChange(after, change, { by, at })
    if (applied === null) continue
    after = applied.after
    entries.push(...applied.entries)
  }
  return { after, entries }
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
