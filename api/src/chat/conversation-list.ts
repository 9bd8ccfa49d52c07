import { AppError } from '@proctorpass/shared/errors'
import { CONVERSATIONS_LIMIT_DEFAULT, EXAM_SOON_MS } from '@proctorpass/shared/limits'
import type { ConversationSummary, ConversationsQuery } from '@proctorpass/shared/schemas/chat'
import type { Status } from '@proctorpass/shared/schemas/inbox'
import type { AdminCaller } from '../auth/caller.ts'
import { blockEnd } from '../storage/model/conversation/blocks-and-ratings.ts'
import type {
  ConversationCursor,
  ConversationFilter,
  ConversationRecord,
} from '../storage/model/conversation/conversation.ts'
import type { Storage } from '../storage/model/storage.ts'

export interface ConversationListPage {
  conversations: ConversationSummary[]
  /** The next page's cursor; null on the last page. */
  next: string | null
}

export async function listConversations(
  storage: Storage,
  { limit = CONVERSATIONS_LIMIT_DEFAULT, cursor, ...query }: ConversationsQuery,
  { admin, now }: { admin: AdminCaller; now: number },
): Promise<ConversationListPage> {
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const { conversations, next } = await storage.conversations.list({
    limit,
    after,
    filter: filterOf(query, admin.userId, now),
  })
  return {
    conversations: conversations.map((conversation) => toSummary(conversation, now)),
    next: next === null ? null : Buffer.from(JSON.stringify(next)).toString('base64url'),
  }
}

function filterOf(
  { status, assignee, label, exam, unread, site }: ConversationsQuery,
  userId: string,
  now: number,
): ConversationFilter {
  return {
    statuses: status?.split(',') as Status[] | undefined,
    assigneeId: assignee === 'none' ? null : assignee === 'me' ? userId : assignee,
    label: label?.trim(),
    unread: unread === '1',
    siteId: site === 'own' ? null : site,
    exam: exam === 'soon' ? { from: now, to: now + EXAM_SOON_MS } : undefined,
  }
}

/** Returns the conversation as admins see it at the time `at`. */
export function toSummary(
  { waitingSince, inbox, blockedUntil, ...rest }: ConversationRecord,
  at: number,
): ConversationSummary {
  return {
    ...rest,
    waitingSince: toIso(waitingSince),
    ...inbox,
    labels: [...inbox.labels],
    snoozedUntil: toIso(inbox.snoozedUntil),
    blockedUntil: blockEnd(blockedUntil, at),
  }
}

function toIso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

function parseCursor(cursor: string): ConversationCursor {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const { waitingSince, lastAt, clientId, examAt } = place
    const isTime = (value: unknown) => Number.isSafeInteger(value)
    if ((waitingSince === null || isTime(waitingSince)) && isTime(lastAt) && typeof clientId === 'string') {
      if (examAt === undefined || isTime(examAt)) return { waitingSince, lastAt, clientId, examAt }
    }
  } catch {
    // The text is not JSON, and is refused below.
  }
  throw new AppError('invalid-input', "The cursor isn't valid.", {
    details: [{ field: 'cursor', message: 'Use the address from the Link header.' }],
  })
}
