import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationList, ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../../lib/session.ts'
import { type ListFilter, queryOf } from './filters.ts'

interface ConversationsPage {
  conversations: readonly ConversationSummary[]
  /** The server's message that replaces an empty list. */
  message: string | null
  /** The next page's cursor. Null on the last page. */
  next: string | null
}

export type LoadedConversations = InfiniteData<ConversationsPage, unknown>

/** Compares two conversations for a list. */
type Order = (a: ConversationSummary, b: ConversationSummary) => number

/** The first part of every list's query key. */
export const CONVERSATIONS = ['conversations'] as const

/**
 * Reads the conversations that match, in the server's order. The query library must not refetch by itself, because it
 * would load every page to which the admin ever scrolled. `createLiveConversations` refetches the pages on the screen.
 */
export const conversationsQuery = (filter: ListFilter) =>
  infiniteQueryOptions({
    queryKey: [...CONVERSATIONS, filter] as const,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    getNextPageParam: (page) => page.next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
  })

async function fetchPage(
  filter: ListFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ConversationsPage> {
  let next: string | null = null
  const query = new URLSearchParams({ ...queryOf(filter), ...(cursor !== null && { cursor }) } as Record<
    string,
    string
  >)
  const answer = await callAsAdmin<ConversationList>(
    query.size === 0 ? paths.chat : `${paths.chat}?${query}`,
    {
      signal,
      onHeaders: (headers) => {
        next = nextCursor(headers.get('link'))
      },
    },
  )
  return Array.isArray(answer)
    ? { conversations: answer, message: null, next }
    : { conversations: [], message: answer.message, next: null }
}

/** Returns the cursor in a Link header's `rel="next"`. */
export function nextCursor(link: string | null): string | null {
  const target = link?.match(/<([^<>]*)>\s*;\s*rel="?next"?/)?.[1]
  if (target === undefined) return null
  return new URL(target, 'http://any.invalid').searchParams.get('cursor')
}

/** Returns each conversation once, sorted, because pages that were loaded at different times may overlap. */
export function inOrder(data: LoadedConversations, order: Order): ConversationSummary[] {
  const byClientId = new Map<string, ConversationSummary>()
  for (const page of data.pages) {
    for (const conversation of page.conversations) {
      if (!byClientId.has(conversation.clientId)) byClientId.set(conversation.clientId, conversation)
    }
  }
  return [...byClientId.values()].sort(order)
}

/** Returns the rows of `shown` in their order, including rows that have left, and then the new rows. */
export function keepOrder(
  shown: readonly ConversationSummary[],
  sorted: readonly ConversationSummary[],
): ConversationSummary[] {
  const remaining = new Map(sorted.map((conversation) => [conversation.clientId, conversation]))
  const kept = shown.map((old) => {
    const live = remaining.get(old.clientId)
    remaining.delete(old.clientId)
    return live ?? old
  })
  return [...kept, ...remaining.values()]
}

/** Returns `sorted` with a conversation in the place that it had when its summary was `placed`. */
export function keepPlace(
  sorted: readonly ConversationSummary[],
  live: ConversationSummary,
  placed: ConversationSummary,
  order: Order,
): ConversationSummary[] {
  const others = sorted.filter(({ clientId }) => clientId !== placed.clientId)
  const below = others.findIndex((other) => order(placed, other) < 0)
  return others.toSpliced(below < 0 ? others.length : below, 0, live)
}

/** Returns the next waiting conversation below `clientId`, or else the one among the others that has waited longest. */
export function nextWaiting(
  sorted: readonly ConversationSummary[],
  clientId: string,
): ConversationSummary | undefined {
  const waiting = sorted.filter((conversation) => conversation.waitingSince !== null)
  const here = waiting.findIndex((conversation) => conversation.clientId === clientId)
  return waiting[here + 1] ?? waiting.find((conversation) => conversation.clientId !== clientId)
}

/**
 * Returns the summary after a message with the parts that are certain. Null if nothing is certain. A refetch corrects
 * the other parts.
 */
export function afterMessage(
  known: ConversationSummary | undefined,
  message: Message,
): ConversationSummary | null {
  const { clientId } = message
  const fromVisitor = message.senderId === clientId
  if (known) {
    const last = known.lastMessage
    if (last.epoch !== message.epoch || last.seq >= message.seq) return null
    // A gap before the message may hide a reply. Only the next seq proves that the visitor waits.
    if (fromVisitor && known.waitingSince === null && last.seq + 1 !== message.seq) return null
    const waits = fromVisitor && known.status !== 'spam'
    return {
      ...known,
      lastMessage: message,
      waitingSince: waits ? (known.waitingSince ?? message.createdAt) : null,
    }
  }
  if (message.seq !== 1 || !fromVisitor) return null
  return {
    ...{ clientId, adminUnread: 1, lastMessage: message, waitingSince: message.createdAt },
    ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR, site: null, blockedUntil: null },
  }
}

/** Returns the summary after a correction. Null if it does not concern the newest message, or is not newer. */
export function afterEdit(known: ConversationSummary, message: Message): ConversationSummary | null {
  const { lastMessage } = known
  const isNewest = lastMessage.epoch === message.epoch && lastMessage.seq === message.seq
  return isNewest && editOf(message) > editOf(lastMessage) ? { ...known, lastMessage: message } : null
}

const editOf = ({ edit = 0 }: Pick<Message, 'edit'>) => edit

/** Merges `arrived` into the known summary. Facts overtake each other, so each part comes from the newer one. */
export function newest(known: ConversationSummary, arrived: ConversationSummary): ConversationSummary {
  const state = arrived.version < known.version ? known : arrived
  const { status, snoozedUntil, assigneeId, labels, version, blockedUntil } = state
  const isAside = status === 'resolved' || status === 'spam'
  const last = known.lastMessage
  const isOlder = arrived.lastMessage.epoch === last.epoch && arrived.lastMessage.seq < last.seq
  const { adminUnread, waitingSince } = isOlder ? known : arrived
  const hasOlderWords = arrived.lastMessage._id === last._id && editOf(arrived.lastMessage) < editOf(last)
  const lastMessage = isOlder || hasOlderWords ? last : arrived.lastMessage
  // Facts do not have `seen`. It can be lower than before, because the admin marked the conversation as unread.
  const isSameHistory = arrived.lastMessage.epoch === last.epoch
  const seen = arrived.seen ?? (isSameHistory ? known.seen : 0)
  return {
    ...arrived,
    ...((known.seen ?? arrived.seen) !== undefined && { seen }),
    ...{ status, snoozedUntil, assigneeId, labels, version, blockedUntil },
    ...{ lastMessage, adminUnread, waitingSince: isAside ? null : waitingSince },
  }
}

/** Applies summaries: a row is replaced, leaves if it no longer matches, or enters. */
export function withSummaries(
  data: LoadedConversations,
  summaries: readonly ConversationSummary[],
  { isMatch, order }: { isMatch: (conversation: ConversationSummary) => boolean; order: Order },
): LoadedConversations {
  const arrived = new Map(summaries.map((summary) => [summary.clientId, summary]))
  let result = data
  const pages = data.pages.map((page) => {
    if (!page.conversations.some(({ clientId }) => arrived.has(clientId))) return page
    const conversations = page.conversations.flatMap((old) => {
      const summary = arrived.get(old.clientId)
      if (!summary) return [old]
      const live = newest(old, summary)
      return isMatch(live) ? [live] : []
    })
    return { ...page, conversations }
  })
  if (pages.some((page, index) => page !== data.pages[index])) result = { ...data, pages }
  for (const summary of summaries) {
    if (isMatch(summary) && find(data, summary.clientId) === undefined) result = add(result, summary, order)
  }
  return result
}

/** Returns the first pages that contain at least `rows` rows, which a refetch covers. */
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

export function find(data: LoadedConversations, clientId: string): ConversationSummary | undefined {
  for (const page of data.pages) {
    const found = page.conversations.find((conversation) => conversation.clientId === clientId)
    if (found) return found
  }
  return undefined
}

function add(
  data: LoadedConversations,
  conversation: ConversationSummary,
  order: Order,
): LoadedConversations {
  const lastPage = data.pages.at(-1)
  if (!lastPage) return data
  const lastRow = lastPage.conversations.at(-1)
  // The conversation is below the loaded pages, and scrolling there loads it.
  if (lastPage.next !== null && lastRow && order(conversation, lastRow) > 0) return data
  return {
    ...data,
    pages: [
      ...data.pages.slice(0, -1),
      { ...lastPage, conversations: [...lastPage.conversations, conversation], message: null },
    ],
  }
}
