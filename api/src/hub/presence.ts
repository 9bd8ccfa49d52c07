import { createElsewhere, type Elsewhere, type News } from './peer-presence.ts'
import type { AdminNamespace, AdminSocket, VisitorNamespace, VisitorSocket } from './types.ts'

/** A page that is being changed or a tunnel passed through is no absence. */
const GRACE_MS = 5_000

/** An admin who comes in is told of so many visitors; the others as their conversations are opened. */
const TOLD_AT_ONCE = 500

/**
 * Who is there: here by their sockets, and of other processes what they say. Visitors without a conversation are not
 * tracked: any stranger can open and close such sockets all day. Only changes are told, by each process to its
 * own sockets. A visitor with several tabs is one visitor; somebody who comes back within GRACE_MS never left.
 */
export function createPresence(
  visitors: VisitorNamespace,
  admins: AdminNamespace,
  sayElsewhere: (news: News) => void,
) {
  const leaving = new Map<string, NodeJS.Timeout>()
  const ADMINS = 'admins'
  /** By clientId: ids of the open sockets of visitors who have a conversation. */
  const open = new Map<string, Set<string>>()

  const visitorSockets = (clientId: string) => open.get(clientId)?.size ?? 0
  const visitorHere = (clientId: string) => visitorSockets(clientId) > 0 || leaving.has(clientId)
  const adminHere = () => admins.sockets.size > 0 || leaving.has(ADMINS)
  const visitorOnline = (clientId: string) => visitorHere(clientId) || elsewhere.hasVisitor(clientId)

  function tellOfVisitor(clientId: string, online: boolean): void {
    admins.local.emit('presence:changed', { clientId, online })
  }
  function tellOfAdmins(online: boolean): void {
    visitors.local.emit('presence:changed', { online })
  }

  function* visitorsHere(): Iterable<string> {
    yield* open.keys()
    for (const key of leaving.keys()) if (key !== ADMINS && !open.has(key)) yield key
  }

  const elsewhere: Elsewhere = createElsewhere({
    say: sayElsewhere,
    here: () => ({ visitors: visitorsHere(), admins: adminHere() }),
    onVisitor(clientId, online) {
      if (!visitorHere(clientId)) tellOfVisitor(clientId, online)
    },
    onAdmins(online) {
      if (!adminHere()) tellOfAdmins(online)
    },
    graceMs: GRACE_MS,
  })

  /** True when this one had not been here a moment ago. */
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

  return {
    hear: elsewhere.hear,
    leave: elsewhere.leave,
    /** What a visitor's socket hears first. */
    greet(socket: VisitorSocket): void {
      socket.emit('presence:changed', { online: adminHere() || elsewhere.hasAdmin() })
    },
    /** Once it is known that the conversation exists; again and again does no harm. */
    visitorJoined(socket: VisitorSocket): void {
      const { clientId } = socket.data.caller
      const sockets = open.get(clientId) ?? new Set()
      if (!socket.connected || sockets.has(socket.id)) return
      open.set(clientId, sockets.add(socket.id))
      if (!arrived(clientId, sockets.size)) return
      elsewhere.visitorChanged(clientId, true)
      if (!elsewhere.hasVisitor(clientId)) tellOfVisitor(clientId, true)
    },
    visitorLeft(socket: VisitorSocket): void {
      const { clientId } = socket.data.caller
      const sockets = open.get(clientId)
      if (!sockets?.delete(socket.id)) return
      if (sockets.size === 0) open.delete(clientId)
      left(
        clientId,
        () => visitorSockets(clientId),
        () => {
          elsewhere.visitorChanged(clientId, false)
          if (!elsewhere.hasVisitor(clientId)) tellOfVisitor(clientId, false)
        },
      )
    },
    adminJoined(socket: AdminSocket): void {
      if (arrived(ADMINS, admins.sockets.size)) {
        elsewhere.adminsChanged()
        if (!elsewhere.hasAdmin()) tellOfAdmins(true)
      }
      const told = new Set<string>()
      for (const visitorsThere of [visitorsHere(), elsewhere.visitors()]) {
        for (const clientId of visitorsThere) {
          if (told.size === TOLD_AT_ONCE) return
          if (told.has(clientId)) continue
          told.add(clientId)
          socket.emit('presence:changed', { clientId, online: true })
        }
      }
    },
    adminLeft(): void {
      left(
        ADMINS,
        () => admins.sockets.size,
        () => {
          elsewhere.adminsChanged()
          if (!elsewhere.hasAdmin()) tellOfAdmins(false)
        },
      )
    },
    /** Answers an admin who opens a conversation. */
    tellOf(clientId: string, socket: AdminSocket): void {
      socket.emit('presence:changed', { clientId, online: visitorOnline(clientId) })
    },
  }
}
