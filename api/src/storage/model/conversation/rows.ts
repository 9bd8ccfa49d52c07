/** Converts stored rows into messages, conversations, and pages of the list for both adapters. */

import { PAGE_BYTES_MAX, SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { Counts, VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type {
  ActivityRecord,
  ConversationCursor,
  ConversationPage,
  ConversationRecord,
  ConversationState,
  EditedWords,
  InboxRecord,
  SeenMark,
} from './conversation.ts'
import type { WaitingMessages } from './scheduled-records.ts'
import { type SpamMark, unmarkedStatus } from './spam.ts'
import type { KeyHashes } from './visitor-keys.ts'
import type { CopiedVisitor } from './visitors.ts'

/** A message with its conversation's totals up to itself. */
export interface CopiedMessage {
  _id: string
  clientId: string
  epoch: string
  seq: number
  senderId: string
  message: string
  createdAt: number
  nonce: string
  /** The number of the visitor's messages up to this one. */
  visitorCount: number
  /** The time of the oldest unanswered visitor message up to this one. Null when all are answered. */
  waitingSince: number | null
  /** The message's files. Null without files. */
  attachments: Attachment[] | null
  /** `mail` for a message that came by mail, otherwise null. */
  via: 'mail' | null
  /** The mail's quoted text, or null. */
  quoted: string | null
  /** The newest words, if the message was corrected. `message` has the words that were sent. */
  edited: EditedWords | null
}

/** The totals at the newest message, the read marks, and the keys. All numbers are 0 without messages. */
export interface CopiedConversation extends InboxRecord {
  clientId: string
  epoch: string
  /** The newest message's seq. The next three fields describe that message too. */
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  /** The number of the visitor's messages up to `adminRead`. */
  adminReadCount: number
  keyHashes: KeyHashes
  /** The seq of the newest message at the last resolve. Messages up to it do not wait. */
  settledSeq: number
  /** The end of a block. A conversation without messages can have one too, because a block survives erasing. */
  blockedUntil: number | null
  /** The number of corrections to messages in this epoch. */
  edits: number
  /** Whether the visitor rated the last resolve. */
  rated: boolean
  /** What the mark as spam replaced. Null if the conversation is not spam. */
  spam: SpamMark | null
  /** The messages that wait until they are sent. */
  scheduled: WaitingMessages
  /** The site where the conversation began. Null on our own pages. */
  siteId: string | null
  siteName: string | null
  /** Null when nothing is known about the visitor. */
  visitor: CopiedVisitor | null
  /** What each admin has seen, in the order of their IDs. */
  seen: CopiedSeenMark[]
}

export type CopiedSeenMark = Pick<SeenMark, 'seq' | 'n'> & { userId: string }

/** An entry in a conversation's log, with the epoch of the conversation's messages. */
export interface CopiedActivity extends ActivityRecord {
  epoch: string
  /** A note's nonce. Null for other entries. */
  nonce: string | null
}

export type MessageRow = Omit<
  CopiedMessage,
  'visitorCount' | 'waitingSince' | 'attachments' | 'via' | 'quoted' | 'edited'
> & {
  /** MongoDB documents lack fields without a value, and so do the newest messages in the list. */
  attachments?: Attachment[] | null
  via?: 'mail' | null
  quoted?: string | null
  edited?: EditedWords | null
}

/** Returns a message's newest words. */
export const newestWords = ({ message, edited }: Pick<MessageRow, 'message' | 'edited'>): string =>
  edited ? edited.message : message

export function toMessage(row: MessageRow): Message {
  const { _id, clientId, senderId, createdAt, seq, epoch, nonce, attachments, via, quoted, edited } = row
  const at = new Date(createdAt).toISOString()
  const shown: Message = {
    _id,
    clientId,
    senderId,
    message: newestWords(row),
    createdAt: at,
    seq,
    epoch,
    nonce,
  }
  if (attachments && attachments.length > 0) shown.attachments = attachments
  if (via) shown.via = via
  if (quoted) shown.quoted = quoted
  if (edited) {
    shown.edit = edited.edit
    shown.editedAt = new Date(edited.at).toISOString()
  }
  return shown
}

/** Returns a message's texts whose length varies, from which a page's size is computed. */
export function textOf({ message, attachments, quoted = '' }: Message): string {
  return attachments === undefined ? message + quoted : message + quoted + JSON.stringify(attachments)
}

type StateRow = Pick<
  CopiedConversation,
  'clientId' | 'epoch' | 'seq' | 'visitorCount' | 'visitorRead' | 'adminRead'
> & {
  adminUnread: number
} & Partial<Pick<CopiedConversation, 'status' | 'blockedUntil' | 'rated' | 'spam' | 'settledSeq' | 'edits'>> &
  SiteColumns

export function toState(row: StateRow, keyHashes: KeyHashes): ConversationState {
  const { clientId, epoch, seq, adminUnread, visitorRead, adminRead } = row
  const { blockedUntil = null, rated, settledSeq = 0, edits = 0 } = row
  const read = { visitor: visitorRead, admin: adminRead }
  const isUnrated = unmarkedStatus(row) === 'resolved' && !rated
  const spam = spamState(row)
  const site = siteOf(row)
  const standing = { blockedUntil, isUnrated, spam, settledSeq, edits, site }
  return { clientId, epoch, seq, adminUnread, read, keyHashes, ...standing }
}

function spamState({ status, spam, visitorCount }: StateRow): ConversationState['spam'] {
  if (status !== 'spam') return null
  const { status: before, visitorCount: counted } = spam ?? { status: 'open', visitorCount }
  return { status: before, messages: visitorCount - counted }
}

/** The columns of a site. Documents without a site lack both fields. */
type SiteColumns = { [C in 'siteId' | 'siteName']?: string | null }

function siteOf({ siteId, siteName }: SiteColumns): ConversationSite | null {
  return siteId ? { _id: siteId, name: siteName ?? '' } : null
}

/** Returns the site columns that a conversation gets, which are none if it has messages or a site. */
export function siteColumns(
  { seq, siteId }: { seq: number; siteId?: string | null },
  site: ConversationSite | null | undefined,
): { siteId?: string; siteName?: string } {
  return site && seq === 0 && !siteId ? { siteId: site._id, siteName: site.name } : {}
}

type RecordRow = Pick<CopiedConversation, 'clientId' | 'waitingSince'> &
  Partial<Pick<CopiedConversation, 'blockedUntil'>> &
  InboxRecord &
  SiteColumns & { adminUnread: number }

export function toRecord(row: RecordRow, newest: MessageRow, visitor: VisitorClaim): ConversationRecord {
  const { clientId, adminUnread, waitingSince, status, snoozedUntil, assigneeId, labels, version } = row
  return {
    clientId,
    adminUnread,
    lastMessage: toSummary(toMessage(newest)),
    waitingSince,
    inbox: { status, snoozedUntil, assigneeId, labels, version },
    visitor,
    site: siteOf(row),
    blockedUntil: row.blockedUntil ?? null,
  }
}

/**
 * Returns a page of the list of conversations. `recordOf` returns null for a conversation without messages, which is left
 * out. `byExam` says that the list is in the order of exams.
 */
export function conversationPage<Row extends Pick<CopiedConversation, 'lastAt'>>(
  rows: Iterable<Row>,
  limit: number,
  recordOf: (row: Row) => ConversationRecord | null,
  byExam: boolean,
): ConversationPage {
  const page = new PageRows<ConversationRecord>(limit)
  let next: ConversationCursor | null = null
  for (const row of rows) {
    const record = recordOf(row)
    if (record === null) continue
    const { lastMessage, inbox, visitor, clientId, waitingSince } = record
    const text = textOf(lastMessage) + JSON.stringify({ inbox, visitor })
    if (!page.add(record, text)) return { conversations: page.rows, next }
    const examAt = byExam ? { examAt: Date.parse(visitor.examAt ?? '') } : {}
    next = { waitingSince, lastAt: row.lastAt, clientId, ...examAt }
  }
  return { conversations: page.rows, next: null }
}

/**
 * The number of characters to read from a newest message: one more than the list shows, to know whether the text was
 * cut.
 */
export const SUMMARY_TEXT_READ = SUMMARY_TEXT_MAX + 1

function toSummary(message: Message): SummaryMessage {
  const text = firstCharacters(message.message, SUMMARY_TEXT_MAX)
  return text.length === message.message.length ? message : { ...message, message: `${text}…`, cut: true }
}

/** Returns a text's first code points, so that no surrogate pair is split. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let index = 0; index < count && end < text.length; index += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The most bytes that a row's JSON takes in addition to its text: names, IDs, times, brackets. */
const ROW_BYTES = 500

/** Collects the rows of a page until there are `limit` of them or their JSON has PAGE_BYTES_MAX bytes. */
export class PageRows<T> {
  readonly rows: T[] = []
  /** True once a row had no room. */
  more = false
  readonly limit: number
  #bytes: number

  /** `after` is the page whose bytes count too. */
  constructor(limit: number, after?: PageRows<unknown>) {
    this.limit = limit
    this.#bytes = after === undefined ? 0 : after.#bytes
  }

  /**
   * Adds a row. Returns false when the page has no room for it. `text` is the row's long text. The first row always
   * fits.
   */
  add(row: T, text: string): boolean {
    this.#bytes += ROW_BYTES + jsonBytes(text)
    const isTooLong = this.rows.length > 0 && this.#bytes > PAGE_BYTES_MAX
    this.more = isTooLong || this.rows.length === this.limit
    if (!this.more) this.rows.push(row)
    return !this.more
  }
}

/**
 * Returns the text's size in JSON. JSON.stringify takes ten times as long as counting bytes, and only texts with
 * escapes need it.
 */
function jsonBytes(text: string): number {
  return Buffer.byteLength(ESCAPED.test(text) ? JSON.stringify(text) : text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const ESCAPED = /["\\\u0000-\u001f]/

/**
 * Returns the number of open conversations by site. Our own pages have the rest, so stores do not count them. Empty while
 * no site has an open conversation.
 */
export function openBySite(open: number, ofSites: Record<string, number>): Pick<Counts, 'sites'> {
  const counted = Object.values(ofSites)
  if (counted.length === 0) return {}
  const own = open - counted.reduce((sum, count) => sum + count)
  return { sites: own > 0 ? { ...ofSites, own } : ofSites }
}
