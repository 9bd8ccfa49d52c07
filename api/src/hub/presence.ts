import { conversationRoom } from './rooms.ts'
import type { AdminNamespace, AdminSocket, VisitorNamespace, VisitorSocket } from './types.ts'

/** A page that is being changed or a tunnel passed through is no absence. */
const GRACE_MS = 5_000

/** An admin who comes in is told of so many visitors; the others as their conversations are opened. */
const TOLD_AT_ONCE = 500

/**
 * Who is there: the rooms know, and only changes are told. A visitor with several tabs is one visitor; somebody
 * who comes back within GRACE_MS never left.
 */
export function createPresence(visitors: VisitorNamespace, admins: AdminNamespace) {
  const leaving = new Map<string, NodeJS.Timeout>()
  const ADMINS = 'admins'

  const visitorSockets = (clientId: string) =>
    visitors.adapter.rooms.get(conversationRoom(clientId))?.size ?? 0

  /** True when this one had not been there a moment ago. */
  function arrived(key: string, sockets: number): boolean {
    const timer = leaving.get(key)
    clearTimeout(timer)
    leaving.delete(key)
    return timer === undefined && sockets === 1
  }

  function left(key: string, sockets: () => number, tell: () => void): void {
    if (sockets() > 0 || leaving.has(key)) return
    const timer = setTimeout(() => {
      leaving.delete(key)
      if (sockets() === 0) tell()
    }, GRACE_MS)
    leaving.set(key, timer.unref())
  }

  const visitorOnline = (clientId: string) => visitorSockets(clientId) > 0 || leaving.has(clientId)

  return {
    /** After the socket has joined its room. */
    visitorJoined(socket: VisitorSocket): void {
      const { clientId } = socket.data.caller
      socket.emit('presence:changed', { online: admins.sockets.size > 0 || leaving.has(ADMINS) })
      if (arrived(clientId, visitorSockets(clientId))) {
        admins.emit('presence:changed', { clientId, online: true })
      }
    },
    visitorLeft({ clientId }: { clientId: string }): void {
      left(
        clientId,
        () => visitorSockets(clientId),
        () => admins.emit('presence:changed', { clientId, online: false }),
      )
    },
    adminJoined(socket: AdminSocket): void {
      if (arrived(ADMINS, admins.sockets.size)) visitors.emit('presence:changed', { online: true })
      const told = new Set<string>()
      for (const visitor of visitors.sockets.values()) {
        const { clientId } = visitor.data.caller
        if (told.has(clientId)) continue
        socket.emit('presence:changed', { clientId, online: true })
        if (told.add(clientId).size === TOLD_AT_ONCE) break
      }
    },
    adminLeft(): void {
      left(
        ADMINS,
        () => admins.sockets.size,
        () => visitors.emit('presence:changed', { online: false }),
      )
    },
    /** Answers an admin who opens a conversation. */
    tellOf(clientId: string, socket: AdminSocket): void {
      socket.emit('presence:changed', { clientId, online: visitorOnline(clientId) })
    },
  }
}
