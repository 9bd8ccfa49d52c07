/** What a change of the inbox means, for both adapters. Pure, so that a write can decide again after it lost a race. */

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

/** Undefined fields stay as they are. Validated: `snoozedUntil` comes with, and only with, the status `snoozed`. */
export interface InboxChange {
  status?: Status | undefined
  snoozedUntil?: number | null | undefined
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

/** A change that was stored: the conversation after it, and one entry for each kind that changed. */
export interface InboxChanged {
  conversation: ConversationRecord
  activity: ActivityRecord[]
}

export type InboxOutcome =
  | ({ outcome: 'stored' } & InboxChanged)
  /** It has that state already: no new version, no entry. */
  | { outcome: 'unchanged'; conversation: ConversationRecord }
  | { outcome: 'missing' }
  /** Another version is stored. */
  | { outcome: 'stale'; conversation: ConversationRecord }

interface Before extends Conversation {
  /**
   * The time of the oldest message behind the newest answer, null without one. Used when an admin undoes a resolve or
   * lifts a block.
   */
  unansweredSince: number | null
}

/** The fields that follow from a change of the inbox. */
type Waiting = Partial<{ waitingSince: number | null; settledSeq: number; rated: false }>

/** A change of the inbox. `version` and `onlyDueBy` are described at `InboxRepository`. */
export function decideInboxChange(
  before: Before,
  change: InboxChange,
  { by, at, version, onlyDueBy }: InboxChangeOptions,
): { outcome: 'missing' } | { outcome: 'stale' | 'unchanged' } | ToStore<InboxRecord & Waiting> {
  if (before.seq === 0) return { outcome: 'missing' }
  if (version !== undefined && version !== before.version) return { outcome: 'stale' }
  const isDue = onlyDueBy === undefined || (before.snoozedUntil !== null && before.snoozedUntil <= onlyDueBy)
  const applied = isDue ? applyChange(before, change, { by, at }) : null
  if (applied === null) return { outcome: 'unchanged' }
  const { after, entries } = applied
  return { outcome: 'stored', set: { ...after, ...waitingAfter(before, after, { by, at }) }, entries }
}

/**
 * A change of the block. `until` is its end, or null to lift it. A block also resolves the conversation, because its
 * visitor does not wait for an answer. Lifting a block reopens nothing. The log of an erased history stays empty.
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
  if (until === null) {
    const waiting = before.status === 'resolved' ? {} : { waitingSince: before.unansweredSince }
    return { outcome: 'stored', set: { ...set, ...waiting }, entries: [entry] }
  }
  const resolved = decideInboxChange(before, { status: 'resolved' }, { by, at })
  return resolved.outcome === 'stored'
    ? { outcome: 'stored', set: { ...set, ...resolved.set }, entries: [entry, ...resolved.entries] }
    : { outcome: 'stored', set, entries: [entry] }
}

/**
 * What resolving, or undoing it, means for the waiting time. A message that reopens says itself since when it waits. A
 * blocked visitor does not wait.
 */
function waitingAfter(
  before: Before,
  after: InboxRecord,
  { by, at }: { by: string | null; at: number },
): Waiting {
  if (after.status === 'resolved') {
    const rated = before.status === 'resolved' ? {} : { rated: false as const }
    return { waitingSince: null, settledSeq: before.seq, ...rated }
  }
  if (before.status !== 'resolved' || by === null) return {}
  return { waitingSince: isBlocked(before.blockedUntil, at) ? null : before.unansweredSince, settledSeq: 0 }
}

/** The state after a change, and an entry for each kind that changed; null when nothing does. */
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
 * The change that a message makes; null when it makes none. `adminId`: its sender, null for the visitor. A visitor's
 * message reopens, an admin's takes a conversation that is not assigned. A key's changes nothing.
 */
export function changeByMessage(
  { status, assigneeId }: Pick<InboxRecord, 'status' | 'assigneeId'>,
  adminId: string | null,
): InboxChange | null {
  if (adminId === null) return status === 'open' ? null : { status: 'open' }
  return assigneeId === null && keyIdOf(adminId) === null ? { assigneeId: adminId } : null
}

/**
 * What some messages change together, each change under a version of its own: whether one is the visitor's, and the first
 * admin who wrote one.
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

/** The admins whom an entry concerns: those that a note mentions, and one to whom another admin assigned. */
export function concernedBy({ kind, by, data }: Pick<ActivityRecord, 'kind' | 'by' | 'data'>): string[] {
  if (kind === 'note') return (data as { mentions: string[] }).mentions.filter((userId) => userId !== by)
  if (kind !== 'assignee') return []
  const { to } = data as { to: string | null }
  return to === null || to === by ? [] : [to]
}

/** The wanted labels once each, those that the conversation has in their first writing. */
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
