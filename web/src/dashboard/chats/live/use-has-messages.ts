import { useCallback, useSyncExternalStore } from 'react'
import { useAdminChat } from './admin-chat-context.tsx'

/**
 * Whether an open conversation has messages; null until it is known. Without any, after an erase or before the first
 * one, the server knows nothing of its visitor, and is not asked.
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
