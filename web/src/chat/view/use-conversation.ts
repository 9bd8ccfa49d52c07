import { useCallback, useSyncExternalStore } from 'react'
import type { Conversation, ConversationState, LinkState } from '../engine/types.ts'

interface Source<T> {
  getState(): T
  subscribe(listener: () => void): () => void
}

export function useConversation(conversation: Conversation): ConversationState {
  return useSource(conversation)
}

export function useLinkState(link: Source<LinkState>): LinkState {
  return useSource(link)
}

function useSource<T>(source: Source<T>): T {
  return useSyncExternalStore(
    useCallback((listener) => source.subscribe(listener), [source]),
    useCallback(() => source.getState(), [source]),
  )
}
