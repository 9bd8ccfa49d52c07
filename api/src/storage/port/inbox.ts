import type {
  Activity,
  ActivityKind,
  ActivityQuery,
  Counts,
  LeftOutData,
  MailEntryData,
  Status,
} from '@proctorpass/shared/schemas/inbox'
import type { Blocked, Rated, Rating, RatingRecord } from '../rules/blocks-and-ratings.ts'
import type { ConversationRecord } from './storage.ts'

/** What admins decide about a conversation. Times are milliseconds since 1970 UTC. */
export interface InboxRecord {
  status: Status
  snoozedUntil: number | null
  assigneeId: string | null
  /** As first written, unique without case. */
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

export interface NewNote {
  clientId: string
  nonce: string
  by: string
  text: string
  /** User ids. */
  mentions: readonly string[]
  at: number
}

/** A mail that is no message, or what a message by mail could not have. */
export interface NewMailEntry {
  clientId: string
  /** Of the history that the mail answers. */
  epoch: string
  nonce: string
  data: MailEntryData | LeftOutData
  at: number
}

export interface ActivityRecordPage {
  /** In order of `n`. */
  activity: ActivityRecord[]
  /** That of the newest entry, 0 without one. */
  n: number
  more: boolean
}

/** An entry that concerns an admin. */
export interface Concerning {
  activity: ActivityRecord
  /** Of its conversation. */
  epoch: string
  /** As the visitor claims it; null when unknown. */
  visitorName: string | null
}

export type NoteAdded =
  | { outcome: 'stored'; activity: ActivityRecord }
  | { outcome: 'repeated'; activity: ActivityRecord }
  | { outcome: 'missing' }
  | { outcome: 'nonce-taken' }

/** Open and waiting conversations, at this moment. */
export interface InboxNow {
  open: number
  /** Open and snoozed conversations with a `waitingSince`. */
  waiting: number
  /** Those that wait longest, the longest first, and those of the same time by clientId. */
  longest: { clientId: string; since: number }[]
}

/** Status, snooze, assignee, labels, blocks and ratings of conversations, and the log of their changes and notes. */
export interface InboxRepository {
  /**
   * Stores the change and its entries atomically. With `version`, only while that version is stored, judged by the write
   * itself. `at`: the time of the change; `by`: the admin, or null for the system. Resolving sets waitingSince to null:
   * messages up to then do not wait when a message reopens it, but do when an admin does. A conversation without messages is missing.
   * With `onlyDueBy`, changes only a conversation whose snooze ends by then; another one is unchanged.
   */
  change(clientId: string, change: InboxChange, options: InboxChangeOptions): Promise<InboxOutcome>
  /** Stores a note once for each nonce. `nonce-taken`: it belongs to another text or author. */
  addNote(note: NewNote): Promise<NoteAdded>
  /** Stores an entry for a mail once for each nonce. `missing`: the history was erased. */
  addMail(mail: NewMailEntry): Promise<Exclude<NoteAdded, { outcome: 'nonce-taken' }>>
  /**
   * Logs once for each pair that a site signed the visitor, and their other conversation: the same one when it was
   * adopted. Null when it is logged, or there are no messages.
   */
  logIdentity(
    clientId: string,
    data: { sub: string; clientId: string },
    at: number,
  ): Promise<ActivityRecord | null>
  /** Pages as those of messages, by `n`. Empty for a missing conversation. */
  activity(clientId: string, query: ActivityQuery & { limit: number }): Promise<ActivityRecordPage>
  /** `userId`: of `mine`. The cost depends on the open and snoozed conversations at most, not on history. */
  counts(userId: string, now: number): Promise<Counts>
  /** `limit`: of `longest`. The cost depends on the open and snoozed conversations at most, not on history. */
  now(limit: number): Promise<InboxNow>
  /**
   * The newest entries since a time that concern an admin (`concernedBy`), newest first. The cost depends on `limit`, not
   * on history.
   */
  concerning(userId: string, options: { since: number; limit: number }): Promise<Concerning[]>
  /** Labels in use as first written, in alphabetical order, at most `limit`. */
  labels(limit: number): Promise<string[]>
  /**
   * Blocks the visitor until a time and resolves their conversation, or lifts the block with null and reopens nothing. The
   * same write logs both. `messages.append` judges the block. A conversation whose history was erased can be blocked too,
   * and a block survives an erase.
   */
  block(clientId: string, until: number | null, options: { by: string; at: number }): Promise<Blocked>
  /**
   * Stores the rating of the last resolve once, while the conversation is resolved, judged by the write itself. `keyHash`
   * (null: no key) must open the conversation.
   */
  rate(clientId: string, rating: Rating, options: { at: number; keyHash: string | null }): Promise<Rated>
  /** The newest RATINGS_LISTED ratings, newest first. */
  ratings(clientId: string): Promise<RatingRecord[]>
  /** Snoozed conversations whose time has come, the earliest first. */
  dueSnoozes(now: number, limit: number): Promise<string[]>
}
