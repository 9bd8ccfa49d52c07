import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { UnreadCount } from '@proctorpass/shared/schemas/chat'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import unreadUrl from '../../../chat/alerts/sounds/unread.mp3'
import { type Chime, playChime } from '../../../chat/alerts/sounds.ts'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import type { LinkState } from '../../../chat/engine/types.ts'
import { pageState } from '../../../lib/page-state.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { isRefused } from '../../ui/query-client.ts'

const STALE_MS = 5_000

const UNREAD_CHIME: Chime = { name: 'unread', url: unreadUrl, cooldownMs: 5_500 }

export const unreadQuery = queryOptions({
  queryKey: ['unread'],
  queryFn: ({ signal }) => callAsAdmin<UnreadCount>(adminPaths.unreadCount, { signal }),
  staleTime: STALE_MS,
})

/** Sets the total from pushed facts, and refetches it if facts may have been missed. */
export function subscribeToUnread(queryClient: QueryClient, chat: AdminChat): () => void {
  const unsubscribers = [
    chat.onUnread(({ totalAdminUnread }) => {
      // A response that is on its way is older than this fact.
      void queryClient.cancelQueries(unreadQuery)
      queryClient.setQueryData(unreadQuery.queryKey, { totalAdminUnread })
    }),
    // Spam does not count, and no fact about unread messages says that a mark changes the total.
    chat.onActivity(({ kind, data }) => {
      if (kind === 'status' && [data.from, data.to].includes('spam')) {
        void queryClient.invalidateQueries(unreadQuery)
      }
    }),
    chat.onResync(() => void queryClient.invalidateQueries(unreadQuery)),
  ]
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe()
  }
}

/** Returns the number of messages that no admin has read. */
export function useUnreadTotal(via: LinkState['via']): number {
  const { data } = useQuery({
    ...unreadQuery,
    refetchInterval: ({ state }) =>
      via === 'polling' && !isRefused(state.error) && pageState().config.chat.unreadPollMs,
    refetchIntervalInBackground: true,
  })
  return data?.totalAdminUnread ?? 0
}

/** Plays a sound whenever the total changes to a value above zero. */
export function useUnreadChime(total: number): void {
  const previous = useRef(0)
  useEffect(() => {
    if (total > 0 && total !== previous.current) playChime(UNREAD_CHIME)
    previous.current = total
  }, [total])
}
