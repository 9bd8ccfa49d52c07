import { DatabaseSync } from 'node:sqlite'
import { type ChatTable, type Entry, FIELDS } from '../copy/copied-tables.ts'
import { filesOf, withFiles } from '../copy/file-copy.ts'
import { conversationOf, Unanswered } from '../copy/store-copy.ts'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import type {
  CopiedActivity,
  CopiedConversation,
  CopiedMessage,
  CopiedSeenMark,
} from '../model/conversation/rows.ts'
import { copiedMessages } from '../model/conversation/scheduled-records.ts'
import { copiedVisitor } from '../model/conversation/visitors.ts'
import type { FileStore } from '../model/file-store.ts'
import { MESSAGES_WITH_EDITS, type MessageColumns, messageRow } from './columns.ts'
import { conversationRow } from './conversation-rows.ts'
import { openVisitorRows } from './visitors.ts'

export const ACTIVITY_COLUMNS = [...without(FIELDS.activity, 'epoch', 'by'), 'byId']

export const CHAT_ROWS: Record<ChatTable, string> = {
  messages: `SELECT ${without(FIELDS.messages, 'waitingSince', 'edited').join(', ')}, edit, words, editedAt
    FROM ${MESSAGES_WITH_EDITS}`,
  activity: `SELECT ${ACTIVITY_COLUMNS.join(', ')} FROM activity`,
  conversations: `SELECT ${without(FIELDS.conversations, 'visitor', 'seen').join(', ')} FROM conversations ORDER BY clientId`,
}

type CopiedColumns = Omit<CopiedMessage, 'waitingSince' | 'attachments' | 'edited'> &
  Pick<MessageColumns, 'attachments' | 'edit' | 'words' | 'editedAt'>

type ActivityColumns = Omit<CopiedActivity, 'epoch' | 'by' | 'data'> & { byId: string | null; data: string }

/**
 * Yields the snapshot's conversations. Each one follows its messages, with their files, and its log. Files are not in the
 * snapshot: if a conversation is erased during the copy, the copy has at most the messages before its first missing file.
 */
export async function* copiedChats(db: DatabaseSync, files: Pick<FileStore, 'open'>): AsyncIterable<Entry> {
  const visitorOf = openVisitorRows(db)
  const messagesOf = db.prepare(`${CHAT_ROWS.messages} WHERE clientId = ? AND seq <= ? ORDER BY seq`)
  const activityOf = db.prepare(`${CHAT_ROWS.activity} WHERE clientId = ? ORDER BY n`)
  const seenOf = db.prepare('SELECT userId, seq, n FROM seen_marks WHERE clientId = ? ORDER BY userId')
  const fileRow = db.prepare(`SELECT ${FIELDS.attachments.join(', ')} FROM attachments WHERE _id = ?`)
  const findFile = (id: string) => {
    const row = fileRow.get(id)
    return row === undefined ? null : { ...(row as unknown as AttachmentRecord) }
  }
  for (const row of db.prepare(CHAT_ROWS.conversations).iterate()) {
    const { clientId } = row as { clientId: string }
    const visitor = copiedVisitor(visitorOf(clientId))
    const seen = seenOf.all(clientId).map((mark) => ({ ...mark })) as unknown as CopiedSeenMark[]
    const found = conversationRow(row)
    const scheduled = copiedMessages(found.scheduled)
    const conversation: CopiedConversation = { ...found, scheduled, visitor, seen }
    let waitingSince: number | null = null
    let last: CopiedMessage | null = null
    let isErased = false
    const unanswered = new Unanswered()
    for (const found of messagesOf.iterate(clientId, conversation.seq)) {
      const { edit: _, words: __, editedAt: ___, ...message } = messageRow(found as unknown as CopiedColumns)
      waitingSince = message.senderId === message.clientId ? (waitingSince ?? message.createdAt) : null
      const entries = await withFiles(
        { ...message, waitingSince },
        findFile,
        files,
        () => epochNow(db, clientId) !== conversation.epoch,
      )
      isErased = entries.length === 0
      if (isErased) break
      yield* entries
      last = { ...message, waitingSince }
      unanswered.add(last)
    }
    if (isErased) {
      const left = { ...conversation, scheduled: null }
      yield { table: 'conversations', row: conversationOf(conversation, last, unanswered, left) }
      continue
    }
    for (const found of activityOf.iterate(clientId)) {
      const { byId, data, ...entry } = found as unknown as ActivityColumns
      const row = { ...entry, epoch: conversation.epoch, by: byId, data: JSON.parse(data) }
      yield { table: 'activity', row: row as CopiedActivity }
    }
    for (const { attachments } of scheduled ?? []) yield* await filesOf(attachments, findFile, files)
    yield { table: 'conversations', row: conversation }
  }
}

/** Reads the conversation's present epoch over a connection of its own, outside the snapshot. */
function epochNow(db: DatabaseSync, clientId: string): unknown {
  const now = new DatabaseSync(db.location() as string, { readOnly: true, timeout: 2_000 })
  try {
    return now.prepare('SELECT epoch FROM conversations WHERE clientId = ?').get(clientId)?.epoch
  } finally {
    now.close()
  }
}

export function without(fields: readonly string[], ...left: string[]): string[] {
  return fields.filter((field) => !left.includes(field))
}
