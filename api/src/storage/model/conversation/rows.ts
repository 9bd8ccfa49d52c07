/** How both adapters turn stored rows into messages, conversations and pages of the chats list. */

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
  InboxRecord,
  SeenMark,
} from './conversation.ts'
import type { KeyHashes } from './visitor-keys.ts'
import type { CopiedVisitor } from './visitors.ts'

/** A message with the totals of its conversation up to itself. */
export interface CopiedMessage {
  _id: string
  clientId: string
  epoch: string
  seq: number
  senderId: string
  message: string
  createdAt: number
  nonce: string
  /** The visitor's messages up to this one. */
  visitorCount: number
  /** The time of the oldest visitor message without an answer up to this one; null when all are answered. */
  waitingSince: number | null
  /** Null without files. */
  attachments: Attachment[] | null
  /** Null for a message of the chat. */
  via: 'mail' | null
  /** What a mail quoted; null without it. */
  quoted: string | null
}

/** The totals at the newest message, the read marks and the keys. Without messages all numbers are 0. */
export interface CopiedConversation extends InboxRecord {
  clientId: string
  epoch: string
  /** The seq of the newest message, which the next three fields describe too. */
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
  visitorRead: number
  adminRead: number
  /** The visitor's messages up to `adminRead`. */
  adminReadCount: number
  keyHashes: KeyHashes
  /** The seq of the newest message when it was last resolved: messages up to it do not wait. */
  settledSeq: number
  /** A conversation without messages has it too: a block survives erasing. */
  blockedUntil: number | null
  /** Whether the visitor rated the last resolve. */
  rated: boolean
  /** Where it began; null: on our own pages. */
  siteId: string | null
  siteName: string | null
  /** Null when nothing is known. */
  visitor: CopiedVisitor | null
  /** What each admin has seen, in order of their ids. */
  seen: CopiedSeenMark[]
}

export type CopiedSeenMark = Pick<SeenMark, 'seq' | 'n'> & { userId: string }

/** An entry of the log of a conversation, with the epoch of its messages. */
export interface CopiedActivity extends ActivityRecord {
  epoch: string
  /** A note's nonce; null for other entries. */
  nonce: string | null
}

export type MessageRow = Omit<
  CopiedMessage,
  'visitorCount' | 'waitingSince' | 'attachments' | 'via' | 'quoted'
> & {
  /** Documents of MongoDB lack what they have not, and so do the newest messages of the list. */
  attachments?: Attachment[] | null
  via?: 'mail' | null
  quoted?: string | null
}

export function toMessage(row: MessageRow): Message {
  const { _id, clientId, senderId, message, createdAt, seq, epoch, nonce, attachments, via, quoted } = row
  const at = new Date(createdAt).toISOString()
  const shown: Message = { _id, clientId, senderId, message, createdAt: at, seq, epoch, nonce }
  if (attachments && attachments.length > 0) shown.attachments = attachments
  if (via) shown.via = via
  if (quoted) shown.quoted = quoted
  return shown
}

/** The texts of a message of any length, for the size of a page. */
export function textOf({ message, attachments, quoted = '' }: Message): string {
  return attachments === undefined ? message + quoted : message + quoted + JSON.stringify(attachments)
}

type StateRow = Pick<CopiedConversation, 'clientId' | 'epoch' | 'seq' | 'visitorRead' | 'adminRead'> & {
  adminUnread: number
} & Partial<Pick<CopiedConversation, 'status' | 'blockedUntil' | 'rated'>> &
  SiteColumns

export function toState(row: StateRow, keyHashes: KeyHashes): ConversationState {
  const {
    clientId,
    epoch,
    seq,
    adminUnread,
    visitorRead,
    adminRead,
    status,
    blockedUntil = null,
    rated,
  } = row
  const read = { visitor: visitorRead, admin: adminRead }
  const isUnrated = status === 'resolved' && !rated
  const site = siteOf(row)
  return { clientId, epoch, seq, adminUnread, read, keyHashes, blockedUntil, isUnrated, site }
}

/** Documents without a site lack both fields. */
type SiteColumns = { [C in 'siteId' | 'siteName']?: string | null }

function siteOf({ siteId, siteName }: SiteColumns): ConversationSite | null {
  return siteId ? { _id: siteId, name: siteName ?? '' } : null
}

/** The columns of a site that a conversation gets, unless it has messages or a site. */
export function siteColumns(
  { seq, siteId }: { seq: number; siteId?: string | null },
  site: ConversationSite | null | undefined,
): { siteId?: string; siteName?: string } {
  return site && seq === 0 && !siteId ? { siteId: site._id, siteName: site.name } : {}
}

type RecordRow = Pick<CopiedConversation, 'clientId' | 'waitingSince'> &
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
  }
}

/**
 * A page of the list of conversations. `recordOf` answers null for a conversation without messages, which is left out.
 * `byExam`: the list is in the order of exams.
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

/** Characters to read of a newest message: one more than the list shows, to know whether the text was cut. */
export const SUMMARY_TEXT_READ = SUMMARY_TEXT_MAX + 1

function toSummary(message: Message): SummaryMessage {
  const text = firstCharacters(message.message, SUMMARY_TEXT_MAX)
  return text.length === message.message.length ? message : { ...message, message: `${text}…`, cut: true }
}

/** The first code points of a text: no surrogate pair is split. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let index = 0; index < count && end < text.length; index += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The most that a row's JSON takes beside its text: names, ids, times, brackets. */
const ROW_BYTES = 450

/** Collects the rows of a page until there are `limit` of them or their JSON has PAGE_BYTES_MAX bytes. */
export class PageRows<T> {
  readonly rows: T[] = []
  /** Whether a row had no room. */
  more = false
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page has no room for the row. `text` is the row's one long text. The first row always fits. */
  add(row: T, text: string): boolean {
    this.#bytes += ROW_BYTES + jsonBytes(text)
    const isTooLong = this.rows.length > 0 && this.#bytes > PAGE_BYTES_MAX
    this.more = isTooLong || this.rows.length === this.#limit
    if (!this.more) this.rows.push(row)
    return !this.more
  }
}

/** JSON.stringify takes ten times as long as counting bytes: only a text with escapes needs it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(ESCAPED.test(text) ? JSON.stringify(text) : text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const ESCAPED = /["\\\u0000-\u001f]/

/**
 * The open conversations by site. Those of our own pages are the rest, so that no store counts them. Empty while no
 * conversation of a site is open.
 */
export function openBySite(open: number, ofSites: Record<string, number>): Pick<Counts, 'sites'> {
  const counted = Object.values(ofSites)
  if (counted.length === 0) return {}
  const own = open - counted.reduce((sum, count) => sum + count)
  return { sites: own > 0 ? { ...ofSites, own } : ofSites }
}
