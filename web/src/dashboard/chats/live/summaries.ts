import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { Counts, Visitor } from '@proctorpass/shared/schemas/inbox'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { CONVERSATIONS, find, type LoadedConversations, newest, withSummaries } from './conversations.ts'
import { type ListFilter, matches, orderOf } from './filters.ts'

/** Reads one conversation's summary, which is kept up to date like the lists' rows. */
export const summaryQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['summary', clientId] as const,
    queryFn: ({ signal }) => fetchSummary(clientId, signal),
    staleTime: 5_000,
  })

export function fetchSummary(clientId: string, signal?: AbortSignal): Promise<ConversationSummary> {
  return callAsAdmin(adminPaths.conversationSummary(clientId), { signal })
}

/** Reads the numbers on the tabs. */
export const countsQuery = queryOptions({
  queryKey: ['chat-counts'],
  queryFn: ({ signal }) => callAsAdmin<Counts>(adminPaths.chatCounts, { signal }),
})

function listsOf(queryClient: QueryClient): [ListFilter, LoadedConversations][] {
  return queryClient
    .getQueriesData<LoadedConversations>({ queryKey: CONVERSATIONS })
    .flatMap(([key, data]) => (data === undefined ? [] : [[key[1] as ListFilter, data]]))
}

/** Returns a conversation's summary, from the lists or from its own query. */
export function findSummary(queryClient: QueryClient, clientId: string): ConversationSummary | undefined {
  let found = queryClient.getQueryData(summaryQuery(clientId).queryKey)
  for (const [, data] of listsOf(queryClient)) {
    const listed = find(data, clientId)
    if (listed) found = found ? newest(found, listed) : listed
  }
  return found
}

/** Removes an erased conversation from every list, and everything else that is known about it. */
export function removeConversation(queryClient: QueryClient, clientId: string): void {
  for (const [filter, data] of listsOf(queryClient)) {
    const pages = data.pages.map((page) => ({
      ...page,
      conversations: page.conversations.filter((each) => each.clientId !== clientId),
    }))
    queryClient.setQueryData([...CONVERSATIONS, filter], { ...data, pages })
  }
  // If the conversation is open, `resetQueries` would request both again.
  for (const { queryKey } of [summaryQuery(clientId), visitorQuery(clientId)])
    queryClient.getQueryCache().find({ queryKey })?.reset()
}

/** Applies summaries to every loaded list. Only this function decides which rows leave and enter. */
export function applySummaries(
  queryClient: QueryClient,
  userId: string,
  summaries: readonly ConversationSummary[],
): void {
  const now = serverNow()
  for (const [filter, data] of listsOf(queryClient)) {
    const isMatch = (conversation: ConversationSummary) => matches(filter, conversation, { userId, now })
    const changed = withSummaries(data, summaries, { isMatch, order: orderOf(filter) })
    if (changed !== data) queryClient.setQueryData([...CONVERSATIONS, filter], changed)
  }
  for (const summary of summaries) {
    const query = summaryQuery(summary.clientId)
    const known = queryClient.getQueryData(query.queryKey)
    if (known) queryClient.setQueryData(query.queryKey, newest(known, summary))
    else void queryClient.invalidateQueries(query)
  }
}

/** Reads a visitor's data. */
export const visitorQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['visitor', clientId],
    queryFn: ({ signal }) => callAsAdmin<Visitor>(adminPaths.conversationVisitor(clientId), { signal }),
    staleTime: 5_000,
  })
