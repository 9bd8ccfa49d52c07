import type { UnreadChanged } from '@proctorpass/shared/events'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationList, ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/schemas/inbox'
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

interface ConversationsPage {
  conversations: readonly ConversationSummary[]
  /** The server's message in place of an empty list. */
  message: string | null
  /** The cursor of the next page; null on the last one. */
  next: string | null
}

export type LoadedConversations = InfiniteData<ConversationsPage, unknown>

/**
 * The conversations in the server's order. The query library must not refetch by itself: it would load every page ever
 * scrolled to. `createLiveConversations` refetches what is on screen.
 */
export const conversationsQuery = infiniteQueryOptions({
  queryKey: ['conversations'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
  getNextPageParam: (page) => page.next,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
  refetchOnWindowFocus: false,
})

async function fetchPage(cursor: string | null, signal: AbortSignal): Promise<ConversationsPage> {
  let next: string | null = null
  const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
  const answer = await callAsAdmin<ConversationList>(`${paths.chat}${query}`, {
    signal,
    onHeaders: (headers) => {
      next = nextCursor(headers.get('link'))
    },
  })
  return Array.isArray(answer)
    ? { conversations: answer, message: null, next }
    : { conversations: [], message: answer.message, next: null }
}

/** The cursor in a Link header's `rel="next"`. */
export function nextCursor(link: string | null): string | null {
  const target = link?.match(/<([^<>]*)>\s*;\s*rel="?next"?/)?.[1]
  if (target === undefined) return null
  return new URL(target, 'http://any.invalid').searchParams.get('cursor')
}

/** Sorted, each conversation once: pages that were loaded at different times may overlap. */
export function inOrder(data: LoadedConversations): ConversationSummary[] {
  const byClientId = new Map<string, ConversationSummary>()
  for (const page of data.pages) {
    for (const conversation of page.conversations) {
      if (!byClientId.has(conversation.clientId)) byClientId.set(conversation.clientId, conversation)
    }
  }
  return [...byClientId.values()].sort(byUrgency)
}

/** The server's order: longest waiting first, then newest message first. */
export function byUrgency(a: ConversationSummary, b: ConversationSummary): number {
  if (a.waitingSince !== b.waitingSince) {
    if (a.waitingSince === null) return 1
    if (b.waitingSince === null) return -1
    return a.waitingSince < b.waitingSince ? -1 : 1
  }
  const [aLast, bLast] = [a.lastMessage.createdAt, b.lastMessage.createdAt]
  if (a.waitingSince === null && aLast !== bLast) return aLast > bLast ? -1 : 1
  return a.clientId < b.clientId ? -1 : 1
}

/** The rows of `sorted` in the order of `shown`; new ones at the end. */
export function keepOrder(
  shown: readonly ConversationSummary[],
  sorted: readonly ConversationSummary[],
): ConversationSummary[] {
  const remaining = new Map(sorted.map((conversation) => [conversation.clientId, conversation]))
  const ordered: ConversationSummary[] = []
  for (const { clientId } of shown) {
    const conversation = remaining.get(clientId)
    if (conversation) ordered.push(conversation)
    remaining.delete(clientId)
  }
  return [...ordered, ...remaining.values()]
}

/** `sorted` with a conversation in the place that it had when its summary was `placed`. */
export function keepPlace(
  sorted: readonly ConversationSummary[],
  live: ConversationSummary,
  placed: ConversationSummary,
): ConversationSummary[] {
  const others = sorted.filter(({ clientId }) => clientId !== placed.clientId)
  const below = others.findIndex((other) => byUrgency(placed, other) < 0)
  return others.toSpliced(below < 0 ? others.length : below, 0, live)
}

/** The next waiting conversation below `clientId`, else the longest waiting of the others. */
export function nextWaiting(
  sorted: readonly ConversationSummary[],
  clientId: string,
): ConversationSummary | undefined {
  const waiting = sorted.filter((conversation) => conversation.waitingSince !== null)
  const here = waiting.findIndex((conversation) => conversation.clientId === clientId)
  return waiting[here + 1] ?? waiting.find((conversation) => conversation.clientId !== clientId)
}

/** Applies what is certain from one message; a refetch finds the rest. */
export function withMessage(data: LoadedConversations, message: Message): LoadedConversations {
  const { clientId } = message
  const fromVisitor = message.senderId === clientId
  const known = find(data, clientId)
  if (known) {
    const last = known.lastMessage
    if (last.epoch !== message.epoch || last.seq >= message.seq) return data
    // A gap before it may hide a reply: only the next seq proves that the visitor waits.
    if (fromVisitor && known.waitingSince === null && last.seq + 1 !== message.seq) return data
    return replace(data, {
      ...known,
      lastMessage: message,
      waitingSince: fromVisitor ? (known.waitingSince ?? message.createdAt) : null,
    })
  }
  if (message.seq !== 1 || !fromVisitor) return data
  return add(data, {
    ...{ clientId, adminUnread: 1, lastMessage: message, waitingSince: message.createdAt },
    ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR },
  })
}

export function withUnread(data: LoadedConversations, fact: UnreadChanged): LoadedConversations {
  const known = find(data, fact.clientId)
  if (!known || known.adminUnread === fact.adminUnread) return data
  return replace(data, { ...known, adminUnread: fact.adminUnread })
}

/** The first pages that contain at least `rows` rows: what a refetch covers. */
export function firstPages(data: LoadedConversations, rows: number): LoadedConversations {
  let covered = 0
  let count = 0
  for (const page of data.pages) {
    count += 1
    covered += page.conversations.length
    if (covered >= rows) break
  }
  return count === data.pages.length
    ? data
    : { pages: data.pages.slice(0, count), pageParams: data.pageParams.slice(0, count) }
}

function find(data: LoadedConversations, clientId: string): ConversationSummary | undefined {
  for (const page of data.pages) {
    const found = page.conversations.find((conversation) => conversation.clientId === clientId)
    if (found) return found
  }
  return undefined
}

function replace(data: LoadedConversations, changed: ConversationSummary): LoadedConversations {
  return {
    ...data,
    pages: data.pages.map((page) =>
      page.conversations.some(({ clientId }) => clientId === changed.clientId)
        ? {
            ...page,
            conversations: page.conversations.map((old) =>
              old.clientId === changed.clientId ? changed : old,
            ),
          }
        : page,
    ),
  }
}

function add(data: LoadedConversations, conversation: ConversationSummary): LoadedConversations {
  const lastPage = data.pages.at(-1)
  if (!lastPage) return data
  const lastRow = lastPage.conversations.at(-1)
  // Below the loaded pages: scrolling there loads it.
  if (lastPage.next !== null && lastRow && byUrgency(conversation, lastRow) > 0) return data
  return {
    ...data,
    pages: [
      ...data.pages.slice(0, -1),
      { ...lastPage, conversations: [...lastPage.conversations, conversation], message: null },
    ],
  }
}
