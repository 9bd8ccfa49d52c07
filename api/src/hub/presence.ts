import { createPeerPresence, type PeerPresence, type PeerPresenceEvent } from './peer-presence.ts'
import type { AdminSocket, Namespaces, VisitorSocket } from './types.ts'

/** A visitor who returns within this time never left, because a page change or a tunnel is no absence. */
const GRACE_MS = 5_000

/**
 * The number of visitors whose presence an admin receives on connect. The admin receives the others' when opening a
 * conversation.
 */
const INITIAL_VISITORS_MAX = 500

/**
 * Admins receive what changed within this time at once, because after a restart thousands of visitors return in a few
 * seconds, and each fact that is emitted alone costs a write to each admin's socket.
 */
const EMIT_DELAY_MS = 100

/** The key for all admins in `leaving`. It cannot collide, because a clientId is longer. */
const ADMINS = 'admins'

/**
 * Tracks presence by this node's sockets and its peers' events. Visitors without a conversation are not tracked,
 * because strangers can open and close such sockets all day. Only changes are emitted, by each node to its own sockets.
 * A visitor with several tabs is one visitor.
 */
export function createPresenceTracker(
  { visitors, admins }: Namespaces,
  options: {
    emitToPeers: (event: PeerPresenceEvent) => void
    /** Called when a visitor came or left, on any node. */
    onVisitors: () => void
  },
) {
  const leaving = new Map<string, NodeJS.Timeout>()
  /** The IDs of the open sockets by clientId, only for visitors who have a conversation. */
  const open = new Map<string, Set<string>>()

  const visitorSockets = (clientId: string) => open.get(clientId)?.size ?? 0
  const isVisitorLocal = (clientId: string) => visitorSockets(clientId) > 0 || leaving.has(clientId)
  const isOnline = (clientId: string) => isVisitorLocal(clientId) || peers.hasVisitor(clientId)
  const isAdminLocal = () => admins.sockets.size > 0 || leaving.has(ADMINS)
  const isAnyAdminOnline = () => isAdminLocal() || peers.hasAdmin()

  /** The visitors whose presence changed since the last facts. */
  const changed = new Set<string>()

  function visitorChanged(clientId: string): void {
    if (changed.size === 0) setTimeout(emitChanged, EMIT_DELAY_MS).unref()
    changed.add(clientId)
    options.onVisitors()
  }
  function emitChanged(): void {
    // Socket.IO encodes a fact before it looks for sockets.
    if (admins.sockets.size > 0) {
      for (const clientId of changed)
        admins.local.emit('presence:changed', { clientId, online: isOnline(clientId) })
    }
    changed.clear()
  }
  function adminsChanged(online: boolean): void {
    visitors.local.emit('presence:changed', { online })
  }

  function* localVisitors(): Iterable<string> {
    yield* open.keys()
    for (const key of leaving.keys()) if (key !== ADMINS && !open.has(key)) yield key
  }

  const peers: PeerPresence = createPeerPresence({
    emit: options.emitToPeers,
    local: () => ({ visitors: localVisitors(), admins: isAdminLocal() }),
    onVisitor(clientId) {
      if (!isVisitorLocal(clientId)) visitorChanged(clientId)
    },
    onAdmins(online) {
      if (!isAdminLocal()) adminsChanged(online)
    },
    graceMs: GRACE_MS,
  })

  /** Returns true for the first socket, unless the last one closed within GRACE_MS. */
  function arrived(key: string, sockets: number): boolean {
    const timer = leaving.get(key)
    clearTimeout(timer)
    leaving.delete(key)
    return timer === undefined && sockets === 1
  }

  /** Calls `onLeft` unless another socket opens within GRACE_MS. */
  function leave(key: string, sockets: () => number, onLeft: () => void): void {
    if (sockets() > 0 || leaving.has(key)) return
    const timer = setTimeout(() => {
      leaving.delete(key)
      if (sockets() === 0) onLeft()
    }, GRACE_MS)
    leaving.set(key, timer.unref())
  }

  function setVisitor(clientId: string, online: boolean): void {
    peers.visitorChanged(clientId, online)
    if (!peers.hasVisitor(clientId)) visitorChanged(clientId)
  }
  function setAdmins(online: boolean): void {
    peers.adminsChanged()
    if (!peers.hasAdmin()) adminsChanged(online)
  }

  return {
    receive: peers.receive,
    leave: peers.leave,
    isOnline,
    /** Counts the visitors on all nodes, each once. */
    countVisitors: (): number => new Set([...localVisitors(), ...peers.visitors()]).size,
    isAnyAdminOnline,
    /** Tells a new visitor socket whether an admin is present. */
    emitAdmins(socket: VisitorSocket): void {
      socket.emit('presence:changed', { online: isAnyAdminOnline() })
    },
    /** Tells an admin who opens a conversation whether its visitor is present. */
    emitVisitor(clientId: string, socket: AdminSocket): void {
      socket.emit('presence:changed', { clientId, online: isOnline(clientId) })
    },
    /** Call this once the conversation is known to exist. Repeated calls have no effect. */
    visitorJoined(socket: VisitorSocket): void {
      const { clientId } = socket.data.caller
      const sockets = open.get(clientId) ?? new Set()
      if (!socket.connected || sockets.has(socket.id)) return
      open.set(clientId, sockets.add(socket.id))
      if (arrived(clientId, sockets.size)) setVisitor(clientId, true)
    },
    visitorLeft(socket: VisitorSocket): void {
      const { clientId } = socket.data.caller
      const sockets = open.get(clientId)
      if (!sockets?.delete(socket.id)) return
      if (sockets.size === 0) open.delete(clientId)
      leave(
        clientId,
        () => visitorSockets(clientId),
        () => setVisitor(clientId, false),
      )
    },
    adminJoined(socket: AdminSocket): void {
      if (arrived(ADMINS, admins.sockets.size)) setAdmins(true)
      const sent = new Set<string>()
      for (const present of [localVisitors(), peers.visitors()]) {
        for (const clientId of present) {
          if (sent.size === INITIAL_VISITORS_MAX) return
          // What has just changed follows for all admins.
          if (sent.has(clientId) || changed.has(clientId)) continue
          sent.add(clientId)
          socket.emit('presence:changed', { clientId, online: true })
        }
      }
    },
    adminLeft(): void {
      leave(
        ADMINS,
        () => admins.sockets.size,
        () => setAdmins(false),
      )
    },
  }
}

export type PresenceTracker = ReturnType<typeof createPresenceTracker>
