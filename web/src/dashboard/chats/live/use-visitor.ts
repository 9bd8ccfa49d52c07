import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pageState } from '../../../lib/page-state.ts'
import { useAdminChat, useAdminLink, useHasMessages } from './admin-chat-context.tsx'
import { visitorQuery } from './summaries.ts'

/** Reads the data of an open conversation's visitor. */
export function useVisitor(clientId: string, { refetchInterval = false as number | false } = {}) {
  const hasMessages = useHasMessages(clientId)
  const enabled = hasMessages === true
  const { data, error } = useQuery({ ...visitorQuery(clientId), enabled, refetchInterval })
  return { visitor: data, error, isUnknown: hasMessages === false }
}

/**
 * Reads the same data, and reads it again after a fact about this visitor, after facts may have been missed, and by a
 * timer while polling.
 */
export function useLiveVisitor(clientId: string) {
  const { chat } = useAdminChat()
  const { via } = useAdminLink()
  const queryClient = useQueryClient()
  useEffect(() => {
    const query = visitorQuery(clientId)
    const refetch = () => void queryClient.invalidateQueries(query)
    // The fact arrives with each sync, even after an erase.
    const isOther = (online: boolean) => queryClient.getQueryData(query.queryKey)?.online === !online
    const unsubscribers = [
      chat.onChanged((summary) => summary.clientId === clientId && refetch()),
      chat.onMessage((message) => message.senderId === clientId && refetch()),
      chat.onActivity(({ clientId: of, kind }) => of === clientId && kind !== 'note' && refetch()),
      chat.onPresence(({ clientId: of, online }) => of === clientId && isOther(online) && refetch()),
      chat.onResync(refetch),
    ]
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe()
    }
  }, [chat, clientId, queryClient])
  return useVisitor(clientId, { refetchInterval: via === 'polling' ? pageState().config.chat.pollMs : false })
}
