import type { HubSocket } from './types.ts'

/**
 * Looks up whether the conversation that a socket names exists, because other conversations' typing and presence
 * interest no admin. The store is read once per socket (for an admin, once per change of conversation), never per
 * event.
 */
export function createConversationLookup(exists: (clientId: string) => Promise<boolean>) {
  return {
    /** Resolves to false also while the store does not answer. */
    exists(socket: HubSocket, clientId: string): Promise<boolean> {
      const last = socket.data.conversation
      if (last?.clientId === clientId) return last.exists
      const found = exists(clientId).catch(() => {
        if (socket.data.conversation?.exists === found) socket.data.conversation = undefined
        return false
      })
      socket.data.conversation = { clientId, exists: found }
      return found
    },
    /** Whether `set` has said that the conversation exists. Reads nothing. */
    isKnown(socket: HubSocket, clientId: string): boolean {
      const last = socket.data.conversation
      return last !== undefined && last.exists === FOUND && last.clientId === clientId
    },
    /** Saves the store a read, because the socket was admitted to the conversation, read it, or wrote in it. */
    set(socket: HubSocket, clientId: string, exists: boolean): void {
      socket.data.conversation = { clientId, exists: exists ? FOUND : NOT_FOUND }
    },
  }
}

export type ConversationLookup = ReturnType<typeof createConversationLookup>

const FOUND = Promise.resolve(true)
const NOT_FOUND = Promise.resolve(false)
