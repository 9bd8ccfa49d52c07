import type { Side } from '@proctorpass/shared/events'
import type { ReadMarks, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { Activity, ActivityKind, Status, VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import { type KeyHashes, keysAfterErase, opens } from './visitor-keys.ts'

/** What admins decide about a conversation. Times are milliseconds since 1970 UTC. */
export interface InboxRecord {
  status: Status
  snoozedUntil: number | null
  assigneeId: string | null
  /** Spelled as they were first written, and unique without case. */
  labels: readonly string[]
  /** 0 at first, incremented by each change of the fields above. */
  version: number
}

export const NEW_INBOX: InboxRecord = {
  status: 'open',
  snoozedUntil: null,
  assigneeId: null,
  labels: [],
  version: 0,
}

/** A conversation as decisions see it. Without messages `seq` is 0. */
export interface Conversation extends InboxRecord {
  epoch: string
  seq: number
  keyHashes: KeyHashes
  blockedUntil: number | null
  /** Whether the last resolve was rated. */
  rated: boolean
}

/** An entry of the log before it has a number. */
export type NewEntry = Pick<ActivityRecord, 'kind' | 'by' | 'at' | 'data'> & { nonce?: string }

/** What a decision stores in one write. */
export interface ToStore<Fields> {
  outcome: 'stored'
  /** The fields that get a value: of the conversation, or of its visitor. */
  set: Fields
  entries: NewEntry[]
}

/** An entry of a conversation's log, numbered without gaps. `data` is as on the wire. */
export interface ActivityRecord {
  _id: string
  clientId: string
  n: number
  kind: ActivityKind
  /** A user id; null: the system or the visitor. */
  by: string | null
  at: number
  /** The seq of the newest message at that time. */
  afterSeq: number
  data: Activity['data']
}

/** The totals of a conversation. */
export interface ConversationState {
  clientId: string
  epoch: string
  /** The seq of the newest message. */
  seq: number
  adminUnread: number
  read: ReadMarks
  keyHashes: KeyHashes
  /** The end of a block of the visitor, in force or past; null without one. */
  blockedUntil: number | null
  /** Resolved, and not rated since. */
  isUnrated: boolean
  /** Where it began; null: on our own pages. */
  site: ConversationSite | null
}

export interface ConversationRecord {
  clientId: string
  adminUnread: number
  lastMessage: SummaryMessage
  waitingSince: number | null
  inbox: InboxRecord
  visitor: VisitorClaim
  site: ConversationSite | null
}

/** Where a page ended: the place of its last conversation in the order of the list. */
export interface ConversationCursor {
  /** Null after the last waiting conversation. */
  waitingSince: number | null
  lastAt: number
  clientId: string
  /** A list by exam has it, because that is its order. */
  examAt?: number | undefined
}

/** What the list shows; fields combine. */
export interface ConversationFilter {
  statuses?: readonly Status[] | undefined
  /** A user id; null: unassigned. */
  assigneeId?: string | null | undefined
  label?: string | undefined
  unread?: boolean | undefined
  /** The id of a site; null: our own pages. */
  siteId?: string | null | undefined
  /** Shows unresolved conversations with an exam from `from` to `to`, in order of its time. */
  exam?: { from: number; to: number } | undefined
}

export interface ConversationPage {
  conversations: ConversationRecord[]
  /** Continues where this page ended; null on the last page. */
  next: ConversationCursor | null
}

/** What one admin has seen of a conversation. */
export interface SeenMark {
  clientId: string
  /** The epoch of the history that was seen. */
  epoch: string
  /** The seq of the newest message that was seen. */
  seq: number
  /** The number of the newest entry that was seen. */
  n: number
}

/** The mark after both; null when `wanted` moves nothing. */
export function movedMark(before: SeenMark | undefined, wanted: SeenMark): SeenMark | null {
  if (before?.epoch !== wanted.epoch) return wanted.seq > 0 || wanted.n > 0 ? wanted : null
  if (wanted.seq <= before.seq && wanted.n <= before.n) return null
  return { ...wanted, seq: Math.max(before.seq, wanted.seq), n: Math.max(before.n, wanted.n) }
}

/** Where the read mark of a side moves to; null when it stays. */
export function movedReadMark(
  row: Pick<Conversation, 'seq' | 'keyHashes'> & { adminRead: number; visitorRead: number },
  side: Side,
  wanted: number,
  keyHash: string | null | undefined,
): number | null {
  const seq = Math.min(wanted, row.seq)
  if (side === 'admin') return seq > row.adminRead ? seq : null
  return seq > row.visitorRead && opens(row.keyHashes, keyHash) ? seq : null
}

/** The keys that stay when the history is erased; null when it may not be, or is empty. Options as in `erase`. */
export function decideErase(
  { seq, lastAt, keyHashes }: { seq: number; lastAt: number; keyHashes: KeyHashes },
  { keyHash, idleSince = Infinity }: { keyHash?: string | null | undefined; idleSince?: number | undefined },
): KeyHashes | null {
  if (seq === 0 || lastAt > idleSince) return null
  if (keyHash !== undefined && !opens(keyHashes, keyHash)) return null
  return keysAfterErase(keyHashes, keyHash)
}

/** The totals and the inbox of a conversation without messages. */
export const EMPTY_HISTORY = {
  seq: 0,
  lastAt: 0,
  visitorCount: 0,
  waitingSince: null,
  visitorRead: 0,
  adminRead: 0,
  adminReadCount: 0,
  settledSeq: 0,
  activityN: 0,
  ...NEW_INBOX,
}
