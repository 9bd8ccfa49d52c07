import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { type AdminChat, createAdminChat } from '../../chat/engine/chat.ts'
import type { LinkState } from '../../chat/engine/types.ts'
import { thisTab } from '../../chat/view/this-tab.ts'
import { useLink as useChatLink } from '../../chat/view/use-conversation.ts'
import { useAuth } from '../../lib/auth-store.ts'
import { pageState } from '../../lib/page-state.ts'
import { callAsAdmin, refreshSession } from '../../lib/session.ts'
import { createLiveConversations, type LiveConversations } from './live-conversations.ts'
import { followUnread } from './unread.ts'
import { createPresence, type Presence } from './visitor-presence.ts'

/** What every page of the dashboard shares of the chat: one link to the server, and what it tells. */
interface Desk {
  chat: AdminChat
  userId: string
  conversations: LiveConversations
  presence: Presence
  /** How far the list's own page was scrolled, so that coming back finds it there. */
  listOffset: { current: number }
}

const DeskContext = createContext<Desk | null>(null)

export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('useDesk needs a DeskProvider above it.')
  return desk
}

export function useLink(): LinkState {
  return useChatLink(useDesk().chat.link)
}

/** Whether a visitor is there; null while nobody can tell. */
export function useOnline(clientId: string): boolean | null {
  const { presence } = useDesk()
  return useSyncExternalStore(presence.subscribe, () => presence.isOnline(clientId))
}

/** Give it `key={userId}`: another admin gets another link. */
export function DeskProvider({ userId, children }: { userId: string; children: ReactNode }) {
  const queryClient = useQueryClient()
  const [desk] = useState((): Desk => {
    const { chat: config } = pageState().config
    const chat = createAdminChat({ config, tab: thisTab(), userId, getToken, request: callAsAdmin })
    return {
      chat,
      userId,
      conversations: createLiveConversations(queryClient, chat, config.unreadPollMs),
      presence: createPresence(),
      listOffset: { current: 0 },
    }
  })

  useEffect(() => {
    const { chat, conversations, presence } = desk
    const stopFollowing = [
      followUnread(queryClient, chat),
      chat.onPresence(presence.note),
      chat.link.subscribe(() => {
        const { connection, via } = chat.link.getState()
        if (connection !== 'connected' || via !== 'push') presence.forget()
      }),
    ]
    conversations.start()
    chat.start()
    return () => {
      chat.stop()
      conversations.stop()
      for (const stop of stopFollowing) stop()
    }
  }, [desk, queryClient])

  return <DeskContext value={desk}>{children}</DeskContext>
}

async function getToken(fresh: boolean): Promise<string> {
  const token = useAuth.getState().accessToken
  return fresh || token === null ? refreshSession() : token
}
