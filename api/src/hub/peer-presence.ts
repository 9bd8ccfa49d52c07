import { randomUUID } from 'node:crypto'

/** Changes within this time are sent together. */
const BATCH_MS = 100
const HEARTBEAT_MS = 10_000
/** A node without a heartbeat for so long is gone, with its visitors and admins. */
const PEER_TIMEOUT_MS = 30_000
/** Requests for a snapshot within this time get one answer. */
const SNAPSHOT_DELAY_MS = 300

/** What nodes send each other about presence. */
export type PeerPresenceEvent =
  | (Heartbeat & { changed?: [clientId: string, online: boolean][] })
  /** A snapshot: all visitors, after an `ask`. */
  | (Heartbeat & { visitors: string[] })
  /** Asks this node for a snapshot, because an event of it was lost. */
  | { ask: string }
  /** This node shuts down: its clients are about to connect to another. */
  | { gone: string }

interface Heartbeat {
  node: string
  /** Grows by one with each change of visitors, so that a receiver notices a lost event. */
  version: number
  admins: boolean
}

interface Peer {
  version: number
  admins: boolean
  visitors: Set<string>
  timeout: NodeJS.Timeout
}

export interface PeerPresenceOptions {
  /** Sends to all other nodes; may be lost. */
  emit: (event: PeerPresenceEvent) => void
  /** Presence on this node. */
  local: () => { visitors: Iterable<string>; admins: boolean }
  /** A visitor came to the first of the peers, or left the last one. */
  onVisitor: (clientId: string, online: boolean) => void
  onAdmins: (online: boolean) => void
  /** How long the visitors of a peer that shuts down stay present. */
  graceMs: number
}

export interface PeerPresence {
  hasVisitor(clientId: string): boolean
  hasAdmin(): boolean
  visitors(): Iterable<string>
  /** The visitor came to this node, or left it. */
  visitorChanged(clientId: string, online: boolean): void
  adminsChanged(): void
  receive(event: PeerPresenceEvent): void
  leave(): void
}

/**
 * Presence on the other nodes, from versioned events. It is held in memory only, so a node that dies leaves nothing to
 * clean up. A receiver detects a lost event by the version of the next one, and asks for a snapshot.
 *
 * @see docs/decisions/0021-peer-presence.md
 */
export function createPeerPresence(options: PeerPresenceOptions): PeerPresence {
  const { local, onVisitor, onAdmins, graceMs } = options
  const node = randomUUID()
  const peers = new Map<string, Peer>()
  const changed = new Map<string, boolean>()
  let version = 0
  let batch: NodeJS.Timeout | undefined
  let snapshot: NodeJS.Timeout | undefined
  let left = false
  const heartbeat = setInterval(emitChanges, HEARTBEAT_MS).unref()

  function emit(event: PeerPresenceEvent): void {
    if (!left) options.emit(event)
  }

  function emitChanges(): void {
    clearTimeout(batch)
    batch = undefined
    const { admins } = local()
    if (changed.size === 0) {
      emit({ node, version, admins })
    } else {
      version += 1
      emit({ node, version, admins, changed: [...changed] })
      changed.clear()
    }
  }

  function scheduleChanges(): void {
    batch ??= setTimeout(emitChanges, BATCH_MS).unref()
  }

  function emitSnapshot(): void {
    snapshot = undefined
    changed.clear()
    version += 1
    const { visitors, admins } = local()
    emit({ node, version, admins, visitors: [...visitors] })
  }

  function hasVisitor(clientId: string): boolean {
    for (const peer of peers.values()) if (peer.visitors.has(clientId)) return true
    return false
  }

  function hasAdmin(): boolean {
    for (const peer of peers.values()) if (peer.admins) return true
    return false
  }

  function setVisitor(peer: Peer, clientId: string, online: boolean): void {
    const before = hasVisitor(clientId)
    if (online) peer.visitors.add(clientId)
    else peer.visitors.delete(clientId)
    if (hasVisitor(clientId) !== before) onVisitor(clientId, online)
  }

  function setAdmins(peer: Peer, admins: boolean): void {
    const before = hasAdmin()
    peer.admins = admins
    if (hasAdmin() !== before) onAdmins(admins)
  }

  function remove(name: string): void {
    const peer = peers.get(name)
    if (peer === undefined) return
    clearTimeout(peer.timeout)
    for (const clientId of [...peer.visitors]) setVisitor(peer, clientId, false)
    setAdmins(peer, false)
    peers.delete(name)
  }

  function peerOf(name: string): Peer {
    const known = peers.get(name)
    if (known !== undefined) {
      known.timeout.refresh()
      return known
    }
    const timeout = setTimeout(() => remove(name), PEER_TIMEOUT_MS).unref()
    const peer: Peer = { version: 0, admins: false, visitors: new Set(), timeout }
    peers.set(name, peer)
    // It may have just started, without any event of this node yet.
    scheduleChanges()
    return peer
  }

  return {
    hasVisitor,
    hasAdmin,
    *visitors() {
      for (const peer of peers.values()) yield* peer.visitors
    },
    visitorChanged(clientId, online) {
      changed.set(clientId, online)
      scheduleChanges()
    },
    adminsChanged: scheduleChanges,
    receive(event) {
      if ('ask' in event) {
        if (event.ask === node) snapshot ??= setTimeout(emitSnapshot, SNAPSHOT_DELAY_MS).unref()
        return
      }
      if ('gone' in event) {
        const peer = peers.get(event.gone)
        clearTimeout(peer?.timeout)
        if (peer !== undefined) peer.timeout = setTimeout(() => remove(event.gone), graceMs).unref()
        return
      }
      const peer = peerOf(event.node)
      setAdmins(peer, event.admins)
      if ('visitors' in event) {
        const all = new Set(event.visitors)
        for (const clientId of [...peer.visitors]) if (!all.has(clientId)) setVisitor(peer, clientId, false)
        for (const clientId of all) setVisitor(peer, clientId, true)
        peer.version = event.version
      } else if (event.changed !== undefined && event.version === peer.version + 1) {
        for (const [clientId, online] of event.changed) setVisitor(peer, clientId, online)
        peer.version = event.version
      } else if (event.version !== peer.version) {
        emit({ ask: event.node })
      }
    },
    leave() {
      clearInterval(heartbeat)
      clearTimeout(batch)
      clearTimeout(snapshot)
      for (const { timeout } of peers.values()) clearTimeout(timeout)
      emit({ gone: node })
      left = true
    },
  }
}
