import type { ViewingChanged } from '@proctorpass/shared/events'
import { createPeerStates, type Gone } from './peer-states.ts'
import type { AdminNamespace, AdminSocket } from './types.ts'

/** The most viewed conversations that an admin receives on connect, and that a node accepts from another. */
const CONVERSATIONS_MAX = 500

/**
 * A node's admins, each with the conversations that they view. Each event holds all of them, so a lost event matters
 * only briefly.
 */
export type PeerViewingEvent = { node: string; admins: [userId: string, clientIds: string[]][] } | Gone

type Admins = Map<string, Set<string>>

/**
 * Tracks which admins are online, and which conversations they view, on this node and its peers. An admin with several
 * tabs is one admin.
 */
export function createViewing(
  admins: AdminNamespace,
  options: {
    emitToPeers: (event: PeerViewingEvent) => void
    /** Called when an admin came or left, on any node. */
    onAdmins: () => void
  },
) {
  const peers = createPeerStates<Admins, PeerViewingEvent>({
    emit: options.emitToPeers,
    emitState,
    initial: () => new Map(),
    onGone(peer) {
      peer.clear()
      update()
    },
    // No grace is needed, because a tab that moves to another node says there at once what it shows.
    graceMs: 0,
  })
  /** The user IDs that were emitted last, by clientId. */
  let emitted = new Map<string, string[]>()
  /** The admins who were online at the last emit. */
  let online = ''

  function local(): Admins {
    const found: Admins = new Map()
    for (const { data } of admins.sockets.values()) {
      const viewed = found.get(data.caller.userId) ?? new Set()
      if (data.viewing !== null) viewed.add(data.viewing)
      found.set(data.caller.userId, viewed)
    }
    return found
  }

  function viewers(): Map<string, string[]> {
    const found = new Map<string, Set<string>>()
    for (const each of [local(), ...peers.states()]) {
      for (const [userId, clientIds] of each) {
        for (const clientId of clientIds) {
          found.set(clientId, (found.get(clientId) ?? new Set()).add(userId))
        }
      }
    }
    return new Map([...found].map(([clientId, userIds]) => [clientId, [...userIds].sort()]))
  }

  function emitState(): void {
    const viewed = [...local()].map(([userId, clientIds]): [string, string[]] => [userId, [...clientIds]])
    peers.emit({ node: peers.node, admins: viewed })
    update()
  }

  /** Emits the changes to this node's admins. */
  function update(): void {
    const now = viewers()
    for (const clientId of new Set([...emitted.keys(), ...now.keys()])) {
      const userIds = now.get(clientId) ?? []
      if (String(userIds) !== String(emitted.get(clientId) ?? [])) {
        admins.local.emit('viewing:changed', { clientId, userIds })
      }
    }
    emitted = now
    const userIds = new Set([local(), ...peers.states()].flatMap((each) => [...each.keys()]))
    const before = online
    online = [...userIds].sort().join()
    if (online !== before) options.onAdmins()
  }

  return {
    /** Whether this admin has an open socket on any node. */
    isOnline(userId: string): boolean {
      for (const { data } of admins.sockets.values()) if (data.caller.userId === userId) return true
      for (const peer of peers.states()) if (peer.has(userId)) return true
      return false
    },

    /** Whether a visible tab of this admin shows the conversation, on any node. */
    isViewing: (userId: string, clientId: string): boolean =>
      viewers().get(clientId)?.includes(userId) ?? false,

    set(socket: AdminSocket, clientId: string | null): void {
      socket.data.viewing = clientId
      peers.changed()
      if (clientId === null) return
      const fact: ViewingChanged = { clientId, userIds: viewers().get(clientId) ?? [] }
      socket.emit('viewing:changed', fact)
    },

    joined(socket: AdminSocket): void {
      peers.changed()
      for (const [clientId, userIds] of [...emitted].slice(0, CONVERSATIONS_MAX)) {
        socket.emit('viewing:changed', { clientId, userIds })
      }
    },

    left: peers.changed,

    receive(event: PeerViewingEvent): void {
      if ('gone' in event) {
        peers.gone(event.gone)
        return
      }
      // The event is read completely before it is applied, because an event from another release may be unreadable.
      const viewed = event.admins.map(
        ([userId, clientIds]) => [userId, new Set(clientIds.slice(0, CONVERSATIONS_MAX))] as const,
      )
      const peer = peers.heardFrom(event.node)
      peer.clear()
      for (const [userId, clientIds] of viewed) peer.set(userId, clientIds)
      update()
    },

    leave: peers.leave,
  }
}

export type Viewing = ReturnType<typeof createViewing>
