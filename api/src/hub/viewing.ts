import { randomUUID } from 'node:crypto'
import type { ViewingChanged } from '@proctorpass/shared/events'
import type { AdminNamespace, AdminSocket } from './types.ts'

/** Changes within this time are sent together, to sockets and peers. */
const BATCH_MS = 100
const HEARTBEAT_MS = 10_000
/** A node without a heartbeat for so long is gone, with its admins. */
const PEER_TIMEOUT_MS = 30_000
/** Viewed conversations that an admin receives on connect, and that a node accepts from another. */
const CONVERSATIONS_MAX = 500

/** The admins of a node, each with the conversations that they view: all of them in each event, so none can be missed for long. */
export type PeerViewingEvent =
  | { node: string; admins: [userId: string, clientIds: string[]][] }
  | { gone: string }

type Admins = Map<string, Set<string>>

interface Peer {
  admins: Admins
  timeout: NodeJS.Timeout
}

/**
 * Which admins are online, and which conversations they view, on this node and its peers. Held in memory only: a node
 * that dies is forgotten without a heartbeat. An admin with several tabs is one admin.
 */
export function createViewing(admins: AdminNamespace, emitToPeers: (event: PeerViewingEvent) => void) {
  const node = randomUUID()
  const peers = new Map<string, Peer>()
  /** The user ids that were emitted last, by clientId. */
  let emitted = new Map<string, string[]>()
  let batch: NodeJS.Timeout | undefined
  let isClosed = false
  const heartbeat = setInterval(emitLocal, HEARTBEAT_MS).unref()

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
    for (const each of [local(), ...[...peers.values()].map((peer) => peer.admins)]) {
      for (const [userId, clientIds] of each) {
        for (const clientId of clientIds) {
          found.set(clientId, (found.get(clientId) ?? new Set()).add(userId))
        }
      }
    }
    return new Map([...found].map(([clientId, userIds]) => [clientId, [...userIds].sort()]))
  }

  function emitLocal(): void {
    if (isClosed) return
    emitToPeers({
      node,
      admins: [...local()].map(([userId, clientIds]) => [userId, [...clientIds]]),
    })
  }

  /** Emits what changed to the admins of this node. */
  function update(): void {
    const now = viewers()
    for (const clientId of new Set([...emitted.keys(), ...now.keys()])) {
      const userIds = now.get(clientId) ?? []
      if (String(userIds) !== String(emitted.get(clientId) ?? [])) {
        admins.local.emit('viewing:changed', { clientId, userIds })
      }
    }
    emitted = now
  }

  function changed(): void {
    batch ??= setTimeout(() => {
      batch = undefined
      emitLocal()
      update()
    }, BATCH_MS).unref()
  }

  function forget(name: string): void {
    clearTimeout(peers.get(name)?.timeout)
    peers.delete(name)
    update()
  }

  return {
    /** Whether this admin has an open socket on any node. */
    isOnline(userId: string): boolean {
      for (const { data } of admins.sockets.values()) if (data.caller.userId === userId) return true
      for (const peer of peers.values()) if (peer.admins.has(userId)) return true
      return false
    },

    /** Whether a visible tab of this admin shows the conversation, on any node. */
    isViewing: (userId: string, clientId: string): boolean =>
      viewers().get(clientId)?.includes(userId) ?? false,

    set(socket: AdminSocket, clientId: string | null): void {
      socket.data.viewing = clientId
      changed()
      if (clientId === null) return
      const fact: ViewingChanged = { clientId, userIds: viewers().get(clientId) ?? [] }
      socket.emit('viewing:changed', fact)
    },

    joined(socket: AdminSocket): void {
      changed()
      for (const [clientId, userIds] of [...emitted].slice(0, CONVERSATIONS_MAX)) {
        socket.emit('viewing:changed', { clientId, userIds })
      }
    },

    left: changed,

    receive(event: PeerViewingEvent): void {
      if ('gone' in event) {
        forget(event.gone)
        return
      }
      const known = peers.get(event.node)
      const found: Admins = new Map()
      for (const [userId, clientIds] of event.admins) {
        found.set(userId, new Set(clientIds.slice(0, CONVERSATIONS_MAX)))
      }
      if (known === undefined) {
        const timeout = setTimeout(() => forget(event.node), PEER_TIMEOUT_MS).unref()
        peers.set(event.node, { admins: found, timeout })
        // It may have just started, without any event of this node yet.
        changed()
      } else {
        known.timeout.refresh()
        known.admins = found
      }
      update()
    },

    /** This node shuts down: its admins are about to connect to another. */
    leave(): void {
      clearInterval(heartbeat)
      clearTimeout(batch)
      for (const { timeout } of peers.values()) clearTimeout(timeout)
      emitToPeers({ gone: node })
      isClosed = true
    },
  }
}

export type Viewing = ReturnType<typeof createViewing>
