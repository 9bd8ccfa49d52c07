/** How both adapters turn stored rows into messages, conversations and pages of the chats list. */

import { SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import type { Message, SummaryMessage } from '@proctorpass/shared/schemas/chat'
import { NEW_INBOX } from './inbox.ts'
import { PageRows } from './page-rows.ts'
import type { ConversationPage, ConversationRecord, ConversationState } from './storage.ts'
import type { CopiedConversation, CopiedMessage } from './store-copy.ts'
import type { KeyHashes } from './visitor-keys.ts'
import { claimOf, type VisitorRecord } from './visitors.ts'

export type MessageRow = Omit<CopiedMessage, 'visitorCount' | 'waitingSince'>

export function toMessage(row: MessageRow): Message {
  const { _id, clientId, senderId, message, createdAt, seq, epoch, nonce } = row
  return { _id, clientId, senderId, message, createdAt: new Date(createdAt).toISOString(), seq, epoch, nonce }
}

type StateRow = Pick<CopiedConversation, 'clientId' | 'epoch' | 'seq' | 'visitorRead' | 'adminRead'> & {
  adminUnread: number
}

export function toState(row: StateRow, keyHashes: KeyHashes): ConversationState {
  const { clientId, epoch, seq, adminUnread, visitorRead, adminRead } = row
  return { clientId, epoch, seq, adminUnread, read: { visitor: visitorRead, admin: adminRead }, keyHashes }
}

/** A page of the chats list. A conversation whose newest message is missing is left out. */
export function conversationPage<
  Row extends Pick<CopiedConversation, 'clientId' | 'waitingSince' | 'lastAt'> & { adminUnread: number },
>(
  rows: Row[],
  limit: number,
  newestOf: (row: Row) => MessageRow | null,
  visitorOf: (row: Row) => Partial<VisitorRecord> | null | undefined,
): ConversationPage {
  const page = new PageRows<ConversationRecord>(limit)
  let last: Row | undefined
  for (const row of rows) {
    const newest = newestOf(row)
    if (newest === null) continue
    const { clientId, adminUnread, waitingSince } = row
    const known = { inbox: NEW_INBOX, visitor: claimOf(visitorOf(row)) }
    const lastMessage = toSummary(toMessage(newest))
    if (
      !page.add(
        { clientId, adminUnread, waitingSince, lastMessage, ...known },
        lastMessage.message + JSON.stringify(known),
      )
    ) {
      const next = last && { waitingSince: last.waitingSince, lastAt: last.lastAt, clientId: last.clientId }
      return { conversations: page.rows, next: next ?? null }
    }
    last = row
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
