import type { TypingChanged } from '@proctorpass/shared/events'
import { conversationRoom } from './rooms.ts'
import type { AdminNamespace, AdminSocket, VisitorNamespace, VisitorSocket } from './types.ts'

/** Tells who is typing. Nothing is kept but, on each socket, where it said so last: leaving takes it back. */
export function createTyping(visitors: VisitorNamespace, admins: AdminNamespace) {
  function tell(fact: TypingChanged, except: string): void {
    visitors.to(conversationRoom(fact.clientId)).except(except).emit('typing:changed', fact)
    admins.except(except).emit('typing:changed', fact)
  }
  return {
    set(socket: VisitorSocket | AdminSocket, clientId: string, typing: boolean): void {
      if (typing && socket.data.typingIn !== null && socket.data.typingIn !== clientId) {
        this.left(socket)
      }
      socket.data.typingIn = typing ? clientId : null
      tell({ clientId, by: socket.data.caller.side, typing }, socket.id)
    },
    /** The socket went away, or wrote somewhere else. */
    left(socket: VisitorSocket | AdminSocket): void {
      const clientId = socket.data.typingIn
      if (clientId === null) return
      socket.data.typingIn = null
      tell({ clientId, by: socket.data.caller.side, typing: false }, socket.id)
    },
  }
}
