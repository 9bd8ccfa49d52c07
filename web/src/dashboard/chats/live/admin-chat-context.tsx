import type { PresenceChanged } from '@proctorpass/shared/events'
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { type AdminChat, createAdminChat } from '../../../chat/engine/admin-chat.ts'
import type { ConversationAttachments, OpenAttachments } from '../../../chat/engine/attachments.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import type { LinkState } from '../../../chat/engine/types.ts'
import { thisTab } from '../../../chat/view/this-tab.ts'
import { useLinkState } from '../../../chat/view/use-conversation.ts'
import { ViewLanguageContext } from '../../../chat/view/view-language.ts'
import { useAuth } from '../../../lib/auth-store.ts'
import { pageState } from '../../../lib/page-state.ts'
import { callAsAdmin, refreshSession, withToken } from '../../../lib/session.ts'
import { createLiveConversations, type LiveConversations } from './live-conversations.ts'
import { createNotes, type Notes } from './notes.ts'
import { createOtherAdmins, type OtherAdmins } from './other-admins.ts'
import { dashboardLanguage } from './times-language.ts'
import { subscribeToUnread } from './unread.ts'

/** The chat that all dashboard pages share, with one link to the server. */
interface AdminChatValue {
  chat: AdminChat
  userId: string
  conversations: LiveConversations
  notes: Notes
  presence: VisitorPresence
  others: OtherAdmins
  /** Each list's scroll offset by its filter, which is restored when the admin returns. */
  listOffsets: Map<string, number>
  undo: Undo
}

/** The Undo for the inbox's last change. */
export interface Undo {
  /** Undoes the change after the server has answered. Null if there is nothing to undo. */
  current: (() => void) | null
  /** Closes the change's notice. Null before the first notice. */
  endNotice: (() => void) | null
}

const AdminChatContext = createContext<AdminChatValue | null>(null)

export function useAdminChat(): AdminChatValue {
  const value = useContext(AdminChatContext)
  if (!value) throw new Error('useAdminChat needs an AdminChatProvider above it.')
  return value
}

export function useAdminLink(): LinkState {
  return useLinkState(useAdminChat().chat.link)
}

/** Returns whether a visitor is online. Null if it is unknown. */
export function useVisitorOnline(clientId: string): boolean | null {
  const { presence } = useAdminChat()
  return useSyncExternalStore(presence.subscribe, () => presence.isOnline(clientId))
}

/**
 * Returns whether an open conversation has messages. Null until it is known. Without messages, after an erase or before
 * the first message, the server knows nothing about the visitor and is not asked.
 */
export function useHasMessages(clientId: string | undefined): boolean | null {
  const { chat } = useAdminChat()
  const conversation = clientId === undefined ? null : chat.conversation(clientId)
  return useSyncExternalStore(
    useCallback((listener) => conversation?.subscribe(listener) ?? (() => {}), [conversation]),
    useCallback(() => {
      const state = conversation?.getState()
      return state?.loaded ? state.messages.length > 0 : null
    }, [conversation]),
  )
}

/** Provides the chat. Pass `key={userId}`, so that another admin gets a new link. */
export function AdminChatProvider({ userId, children }: { userId: string; children: ReactNode }) {
  const queryClient = useQueryClient()
  const [value] = useState((): AdminChatValue => {
    const { chat: config } = pageState().config
    const tab = thisTab()
    const chat = createAdminChat({ config, tab, userId, getToken, request: callAsAdmin, openAttachments })
    return {
      chat,
      userId,
      conversations: createLiveConversations({ queryClient, chat, userId, pollMs: config.pollMs }),
      notes: createNotes({ tab, userId, chat }),
      presence: createVisitorPresence(),
      others: createOtherAdmins(chat, userId),
      listOffsets: new Map(),
      undo: { current: null, endNotice: null },
    }
  })

  useEffect(() => {
    const { chat, conversations, notes, presence, others } = value
    const unsubscribers = [
      subscribeToUnread(queryClient, chat),
      chat.onPresence(presence.apply),
      others.start(),
      chat.link.subscribe(() => {
        const { connection, via } = chat.link.getState()
        if (connection !== 'connected' || via !== 'push') presence.clear()
      }),
    ]
    conversations.start()
    chat.start()
    notes.start()
    return () => {
      chat.stop()
      notes.stop()
      conversations.stop()
      for (const unsubscribe of unsubscribers) unsubscribe()
    }
  }, [value, queryClient])

  const [language] = useState(dashboardLanguage)
  return (
    <AdminChatContext value={value}>
      <ViewLanguageContext value={language}>{children}</ViewLanguageContext>
    </AdminChatContext>
  )
}

async function openAttachments(party: Parameters<OpenAttachments>[0]): Promise<ConversationAttachments> {
  const module = await import('../../../chat/view/attachments/loaded.ts')
  return module.openAttachments(party, (call) => withToken((token) => call(`Bearer ${token}`)))
}

async function getToken(fresh: boolean): Promise<string> {
  const token = useAuth.getState().accessToken
  return fresh || token === null ? refreshSession() : token
}

type VisitorPresence = ReturnType<typeof createVisitorPresence>

/** Follows which visitors are online from the hub's facts. It is empty while polling. */
function createVisitorPresence() {
  const online = new Map<string, boolean>()
  const changed = createSignal()
  return {
    /** Returns null if it is unknown. */
    isOnline: (clientId: string): boolean | null => online.get(clientId) ?? null,
    subscribe: changed.on,
    apply(fact: PresenceChanged): void {
      if (fact.clientId === undefined) return
      online.set(fact.clientId, fact.online)
      changed.emit()
    },
    clear(): void {
      online.clear()
      changed.emit()
    },
  }
}
