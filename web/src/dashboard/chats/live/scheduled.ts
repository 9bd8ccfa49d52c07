import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Scheduled, ScheduledList } from '@proctorpass/shared/schemas/scheduled'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { callAsAdmin } from '../../../lib/session.ts'
import { useAdminChat, useHasMessages } from './admin-chat-context.tsx'

export const scheduledQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['scheduled', clientId] as const,
    queryFn: ({ signal }) =>
      callAsAdmin<ScheduledList>(adminPaths.conversationScheduled(clientId), { signal }),
  })

/**
 * Returns what is scheduled in an open conversation, the earliest first. Facts keep it up to date. Without them it is read
 * again after each entry about it, and a message that was sent is among the messages.
 */
export function useScheduled(
  clientId: string,
  messages: readonly Message[],
  entries: readonly Activity[],
): readonly Scheduled[] {
  const { chat } = useAdminChat()
  const queryClient = useQueryClient()
  const enabled = useHasMessages(clientId) === true
  const { data } = useQuery({ ...scheduledQuery(clientId), enabled })
  const n = entries.findLast(({ kind }) => kind === 'scheduled')?.n
  useEffect(() => {
    const query = scheduledQuery(clientId)
    const unsubscribers = [
      chat.onScheduled(
        ({ clientId: of, scheduled }) =>
          of === clientId && queryClient.setQueryData(query.queryKey, { scheduled }),
      ),
      chat.onErased((of) => of === clientId && queryClient.setQueryData(query.queryKey, { scheduled: [] })),
      chat.onResync(() => void queryClient.invalidateQueries(query)),
    ]
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe()
    }
  }, [chat, clientId, queryClient])
  useEffect(() => {
    if (n !== undefined) void queryClient.invalidateQueries(scheduledQuery(clientId))
  }, [queryClient, clientId, n])
  return useMemo(() => {
    const sent = new Set(messages.map(({ nonce }) => nonce))
    return (data?.scheduled ?? []).filter(({ _id }) => !sent.has(_id))
  }, [data, messages])
}
