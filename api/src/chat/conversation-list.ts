import { AppError } from '@proctorpass/shared/errors'
import { CONVERSATIONS_LIMIT_DEFAULT } from '@proctorpass/shared/limits'
import type { ConversationSummary, ConversationsQuery } from '@proctorpass/shared/schemas/chat'
import type { ConversationCursor, ConversationRecord, Storage } from '../storage/storage.ts'

export interface ConversationListPage {
  conversations: ConversationSummary[]
  /** The cursor of the next page, null on the last. */
  next: string | null
}

export async function listConversations(
  storage: Storage,
  { limit = CONVERSATIONS_LIMIT_DEFAULT, cursor }: ConversationsQuery,
): Promise<ConversationListPage> {
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const { conversations, next } = await storage.conversations.list({ limit, after })
  return {
    conversations: conversations.map(toSummary),
    next: next === null ? null : Buffer.from(JSON.stringify(next)).toString('base64url'),
  }
}

export function toSummary({ waitingSince, inbox, ...rest }: ConversationRecord): ConversationSummary {
  return {
    ...rest,
    waitingSince: toIso(waitingSince),
    ...inbox,
    labels: [...inbox.labels],
    snoozedUntil: toIso(inbox.snoozedUntil),
  }
}

function toIso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

function parseCursor(cursor: string): ConversationCursor {
  try {
    const { waitingSince, lastAt, clientId } = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isTime = (value: unknown) => Number.isSafeInteger(value)
    if ((waitingSince === null || isTime(waitingSince)) && isTime(lastAt) && typeof clientId === 'string') {
      return { waitingSince, lastAt, clientId }
    }
  } catch {
    // Not JSON: refused below.
  }
  throw new AppError('invalid-input', "The cursor isn't valid.", {
    details: [{ field: 'cursor', message: 'Use the address from the Link header.' }],
  })
}
