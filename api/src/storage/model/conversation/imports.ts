import { newId } from '../ids.ts'
import { NEW_INBOX } from './conversation.ts'
import type { CopiedActivity, CopiedConversation, CopiedMessage } from './rows.ts'
import { copiedVisitor } from './visitors.ts'

/** Every imported message and note has a nonce with this beginning. */
export const IMPORT_NONCE = 'import-'

export interface ImportedMessage {
  senderId: string
  message: string
  createdAt: number
  nonce: string
}

export interface ImportedNote {
  by: string
  text: string
  at: number
  /** The seq of the message behind which the note stands. */
  afterSeq: number
  nonce: string
}

/** A whole conversation from another product. */
export interface ImportedConversation {
  clientId: string
  /** The hash of a key that no person has, so that no visitor can open the conversation. */
  keyHash: string
  status: 'open' | 'resolved'
  name: string | null
  email: string | null
  /** The messages in the order of their times, at least one. */
  messages: readonly ImportedMessage[]
  /** The notes in the order of `afterSeq`. */
  notes: readonly ImportedNote[]
}

/** What the store has under an imported conversation's ID. */
export interface FoundImport {
  /** The newest message's seq. It is 0 after an erase. */
  seq: number
  /** The nonces of its imported messages and notes. */
  nonces: ReadonlySet<string>
  /** Whether a message or a change came since the import. Reading it changes nothing. */
  isChanged: boolean
}

/**
 * Adds whole conversations from another product. Nothing about them counts as new: they make no events, jobs, or
 * notifications. Other processes find them by comparing.
 */
export interface ImportRepository {
  /** Returns what is stored under these IDs. A missing ID is not in the map. */
  find(clientIds: readonly string[]): Promise<Map<string, FoundImport>>
  /**
   * Stores conversations, each whole or not at all, and leaves out those whose ID is taken. The write itself checks this.
   * Returns the IDs of the stored ones.
   */
  add(conversations: readonly ImportedConversation[]): Promise<string[]>
  /** Removes a conversation with everything that belongs to it, unless it `isChanged`. */
  remove(clientId: string): Promise<'removed' | 'changed' | 'missing'>
}

/** Returns whether a conversation is as its import stored it. `imported` counts the stored nonces of the import. */
export function isUnchanged(
  row: Pick<CopiedConversation, 'seq' | 'version' | 'blockedUntil'> & { activityN: number },
  imported: { messages: number; notes: number },
): boolean {
  const { seq, activityN, version, blockedUntil } = row
  const isSame = seq === imported.messages && activityN === imported.notes
  return isSame && seq > 0 && version === 0 && blockedUntil === null
}

/** Returns the rows of an imported conversation. Nothing in it waits or is unread. */
export function importedRows(
  { clientId, keyHash, status, name, email, messages, notes }: ImportedConversation,
  epoch: string,
): {
  conversation: CopiedConversation
  messages: CopiedMessage[]
  activity: CopiedActivity[]
  activityN: number
} {
  let visitorCount = 0
  let waitingSince: number | null = null
  const rows = messages.map(({ senderId, message, createdAt, nonce }, index): CopiedMessage => {
    const isOfVisitor = senderId === clientId
    visitorCount += isOfVisitor ? 1 : 0
    waitingSince = isOfVisitor ? (waitingSince ?? createdAt) : null
    return {
      ...{ _id: newId(createdAt), clientId, epoch, seq: index + 1, senderId, message, createdAt, nonce },
      ...{ visitorCount, waitingSince, attachments: null, via: null, quoted: null, edited: null },
    }
  })
  const activity = notes.map(
    ({ by, text, at, afterSeq, nonce }, index): CopiedActivity => ({
      ...{ clientId, epoch, n: index + 1, _id: newId(at), kind: 'note', by, at, afterSeq, nonce },
      data: { text, mentions: [] },
    }),
  )
  const seq = rows.length
  const conversation: CopiedConversation = {
    ...{ clientId, epoch, seq, lastAt: rows.at(-1)?.createdAt ?? 0, visitorCount, waitingSince: null },
    ...{ visitorRead: seq, adminRead: seq, adminReadCount: visitorCount, keyHashes: [keyHash] },
    ...{ ...NEW_INBOX, status, settledSeq: seq, blockedUntil: null, rated: false, spam: null },
    ...{ siteId: null, siteName: null, scheduled: null, edits: 0, seen: [] },
    visitor: name === null && email === null ? null : copiedVisitor({ name, email }),
  }
  return { conversation, messages: rows, activity, activityN: activity.length }
}
