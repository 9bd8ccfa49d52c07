import type { AdminSocket, VisitorSocket } from './types.ts'

/**
 * Whether the conversation that a socket speaks of exists: typing and presence of any other are of interest to no
 * admin. It is read once for each socket (an admin's: once for each conversation in turn), never for each event.
 */
export function createConversations(exists: (clientId: string) => Promise<boolean>) {
  return {
    /** False also while the store does not answer. */
    exists(socket: VisitorSocket | AdminSocket, clientId: string): Promise<boolean> {
      const last = socket.data.conversation
      if (last?.clientId === clientId) return last.exists
      const asked = exists(clientId).catch(() => {
        if (socket.data.conversation?.exists === asked) socket.data.conversation = undefined
        return false
      })
      socket.data.conversation = { clientId, exists: asked }
      return asked
    },
    /** The socket has come in, read it, or written in it. */
    known(socket: VisitorSocket | AdminSocket, clientId: string, exists: boolean): void {
      socket.data.conversation = { clientId, exists: exists ? FOUND : NOT_FOUND }
    },
  }
}

const FOUND = Promise.resolve(true)
const NOT_FOUND = Promise.resolve(false)
