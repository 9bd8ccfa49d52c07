/** How both adapters turn stored rows into messages, conversations and pages of the chats list. */

import { SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import type { Message, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import type { Attachment } from '@proctorpass/shared/schemas/file'
import type { VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { CopiedConversation, CopiedMessage } from '../copy/store-copy.ts'
import type { InboxRecord } from '../port/inbox.ts'
import type {
  ConversationCursor,
  ConversationPage,
  ConversationRecord,
  ConversationState,
} from '../port/storage.ts'
import { PageRows } from './page-rows.ts'
import type { KeyHashes } from './visitor-keys.ts'

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
