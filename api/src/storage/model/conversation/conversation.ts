import type { Side } from '@proctorpass/shared/events'
import type { ReadMarks, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { Activity, ActivityKind, Status, VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { WaitingMessages } from './scheduled-records.ts'
import type { SpamMark } from './spam.ts'
import { type KeyHashes, keysAfterErase, opens } from './visitor-keys.ts'

/** What admins decide about a conversation. Times are milliseconds since 1970 UTC. */
export interface InboxRecord {
  status: Status
  snoozedUntil: number | null
  assigneeId: string | null
  /** The labels, spelled as they were first written and unique regardless of case. */
  labels: readonly string[]
  /** Begins with 0 and increases by 1 with each change to the fields above. */
  version: number
}

export const NEW_INBOX: InboxRecord = {
  status: 'open',
  snoozedUntil: null,
  assigneeId: null,
  labels: [],
  version: 0,
}

/** A conversation as decisions see it. `seq` is 0 without messages. */
export interface Conversation extends InboxRecord {
  epoch: string
  seq: number
  visitorCount: number
  keyHashes: KeyHashes
  blockedUntil: number | null
  /** Whether the last resolve was rated. */
  rated: boolean
  /** What the mark as spam replaced. It counts only while the status is `spam`. */
  spam: SpamMark | null
  /** The messages that are sent later. */
  scheduled: WaitingMessages
  waitingSince: number | null
  /** Messages up to this seq do not wait, because an admin resolved the conversation or settled them. */
  settledSeq: number
  /** The number of corrections to messages in this epoch. */
  edits: number
}

/** A log entry before it has a number. */
export type NewEntry = Pick<ActivityRecord, 'kind' | 'by' | 'at' | 'data'> & { nonce?: string }

/** A message's newest words. The message's row keeps the words that were sent, by which a retry is recognized. */
export interface EditedWords {
  /** The number of the correction: 1, 2, 3 in each epoch. */
  edit: number
  message: string
  at: number
}

/** What a decision stores in one write. */
export interface ToStore<Fields> {
  outcome: 'stored'
  /** The conversation's or visitor's fields that get a value. */
  set: Fields
  entries: NewEntry[]
  /**
   * The visitor waits since their oldest message after both this seq and the newest answer. The adapter finds that
   * message and stores its time, or null without one, as `waitingSince`.
   */
  waitsAfter?: number
  /** A message's new words, with its `seq`. */
  words?: EditedWords & { seq: number }
}

/** An entry in a conversation's log. Entries are numbered without gaps. `data` has the form that clients receive. */
export interface ActivityRecord {
  _id: string
  clientId: string
  n: number
  kind: ActivityKind
  /** A user ID. Null for the system or the visitor. */
  by: string | null
  at: number
  /** The newest message's seq at that time. */
  afterSeq: number
  data: Activity['data']
}

/** A conversation's totals. */
export interface ConversationState {
  clientId: string
  epoch: string
  /** The newest message's seq. */
  seq: number
  adminUnread: number
  read: ReadMarks
  keyHashes: KeyHashes
  /** The end of a block, which may be past. Null without a block. */
  blockedUntil: number | null
  /** True if the conversation is resolved and was not rated since. */
  isUnrated: boolean
  /**
   * The status before the mark as spam, and the number of the visitor's messages since. Null if the conversation is not
   * spam.
   */
  spam: { status: SpamMark['status']; messages: number } | null
  /** Messages up to this seq do not wait. */
  settledSeq: number
  /** The number of corrections to messages in this epoch. */
  edits: number
  /** The site where the conversation began. Null on our own pages. */
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
  /** The end of a block, which may be past. Null without a block. */
  blockedUntil: number | null
}

/** The place where a page ended, which is its last conversation's place in the list's order. */
export interface ConversationCursor {
  /** The time since which the visitor waits. Null after the last waiting conversation. */
  waitingSince: number | null
  lastAt: number
  clientId: string
  /** The exam time, if the list is in the order of exams. */
  examAt?: number | undefined
}

/** The filter for the list. A conversation must match all fields. */
export interface ConversationFilter {
  /** LISTED_STATUSES if it is undefined. */
  statuses?: readonly Status[] | undefined
  /** A user ID. Null for unassigned conversations. */
  assigneeId?: string | null | undefined
  label?: string | undefined
  unread?: boolean | undefined
  /** A site's ID. Null for our own pages. */
  siteId?: string | null | undefined
  /** Shows open and snoozed conversations with an exam between `from` and `to`, in the order of the exam times. */
  exam?: { from: number; to: number } | undefined
}

export interface ConversationPage {
  conversations: ConversationRecord[]
  /** The place where this page ended. Null on the last page. */
  next: ConversationCursor | null
}

/** What one admin has seen in a conversation. */
export interface SeenMark {
  clientId: string
  /** The epoch of the history that was seen. */
  epoch: string
  /** The seq of the newest seen message. */
  seq: number
  /** The number of the newest seen entry. */
  n: number
}

/** Returns the higher numbers of both marks, or null when `wanted` moves nothing. */
export function movedMark(before: SeenMark | undefined, wanted: SeenMark): SeenMark | null {
  if (before?.epoch !== wanted.epoch) return wanted.seq > 0 || wanted.n > 0 ? wanted : null
  if (wanted.seq <= before.seq && wanted.n <= before.n) return null
  return { ...wanted, seq: Math.max(before.seq, wanted.seq), n: Math.max(before.n, wanted.n) }
}

/** Returns the seq to which a side's read mark moves, or null when it stays. */
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

/** Returns the keys that stay when the history is erased, or null when it may not be erased or is empty. */
export function decideErase(
  {
    seq,
    lastAt,
    keyHashes,
    status,
    spam,
  }: Pick<Conversation, 'seq' | 'keyHashes' | 'status' | 'spam'> & { lastAt: number },
  { keyHash, idleSince = Infinity, isSpam = false }: EraseOptions,
): KeyHashes | null {
  if (seq === 0 || lastAt > idleSince) return null
  if (isSpam && (status !== 'spam' || spam === null || spam.at > idleSince)) return null
  if (keyHash !== undefined && !opens(keyHashes, keyHash)) return null
  return keysAfterErase(keyHashes, keyHash)
}

export interface EraseOptions {
  keyHash?: string | null | undefined
  idleSince?: number | undefined
  isSpam?: boolean
}

/** The totals and the inbox fields of a conversation without messages. */
export const EMPTY_HISTORY = {
  seq: 0,
  lastAt: 0,
  visitorCount: 0,
  waitingSince: null,
  visitorRead: 0,
  adminRead: 0,
  adminReadCount: 0,
  settledSeq: 0,
  edits: 0,
  activityN: 0,
  spam: null,
  scheduled: null,
  ...NEW_INBOX,
}
