import { createPeerStates, type Gone } from './peer-states.ts'

/** Requests for a snapshot within this time get one answer. */
const SNAPSHOT_DELAY_MS = 300

/** The events that nodes send each other about presence. */
export type PeerPresenceEvent =
  | (Heartbeat & { changed?: [clientId: string, online: boolean][] })
  /** A snapshot with all visitors, sent after an `ask`. */
  | (Heartbeat & { visitors: string[] })
  /** Asks the named node for a snapshot, because one of its events was lost. */
  | { ask: string }
  | Gone

interface Heartbeat {
  node: string
  /** Grows by one each time a visitor comes or leaves, so that a receiver notices a lost event. */
  version: number
  admins: boolean
}

interface Peer {
  version: number
  admins: boolean
  visitors: Set<string>
}

export interface PeerPresenceOptions {
  /** Sends an event to all other nodes. The event may be lost. */
  emit: (event: PeerPresenceEvent) => void
  /** Returns presence on this node. */
  local: () => { visitors: Iterable<string>; admins: boolean }
  /** Called when a visitor came to the first of the peers, or left the last one. */
  onVisitor: (clientId: string, online: boolean) => void
  onAdmins: (online: boolean) => void
  /** How long a peer's visitors stay present after it shuts down. */
  graceMs: number
}

/**
 * Tracks presence on the other nodes from versioned events. A receiver detects a lost event by the next event's
 * version, and asks for a snapshot.
 */
export function createPeerPresence(options: PeerPresenceOptions) {
  const { emit, local, onVisitor, onAdmins, graceMs } = options
  const changed = new Map<string, boolean>()
  let version = 0
  let snapshot: NodeJS.Timeout | undefined
  const peers = createPeerStates<Peer, PeerPresenceEvent>({
    emit,
    emitState,
    initial: () => ({ version: 0, admins: false, visitors: new Set() }),
    onGone(peer) {
      for (const clientId of [...peer.visitors]) setVisitor(peer, clientId, false)
      setAdmins(peer, false)
    },
    graceMs,
  })
  const { node } = peers

  function emitState(): void {
    const { admins } = local()
    if (changed.size === 0) {
      peers.emit({ node, version, admins })
    } else {
      version += 1
      peers.emit({ node, version, admins, changed: [...changed] })
      changed.clear()
    }
  }

  function emitSnapshot(): void {
    snapshot = undefined
    changed.clear()
    version += 1
    const { visitors, admins } = local()
    peers.emit({ node, version, admins, visitors: [...visitors] })
  }

  function hasVisitor(clientId: string): boolean {
    for (const peer of peers.states()) if (peer.visitors.has(clientId)) return true
    return false
  }

  function hasAdmin(): boolean {
    for (const peer of peers.states()) if (peer.admins) return true
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

  return {
    hasVisitor,
    hasAdmin,
    *visitors(): Iterable<string> {
      for (const peer of peers.states()) yield* peer.visitors
    },
    /** Emits that the visitor came to this node, or left it. */
    visitorChanged(clientId: string, online: boolean): void {
      changed.set(clientId, online)
      peers.changed()
    },
    adminsChanged: peers.changed,
    receive(event: PeerPresenceEvent): void {
      if ('ask' in event) {
        if (event.ask === node) snapshot ??= setTimeout(emitSnapshot, SNAPSHOT_DELAY_MS).unref()
        return
      }
      if ('gone' in event) {
        peers.gone(event.gone)
        return
      }
      const peer = peers.heardFrom(event.node)
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
        peers.emit({ ask: event.node })
      }
    },
    leave(): void {
      clearTimeout(snapshot)
      peers.leave()
    },
  }
}

export type PeerPresence = ReturnType<typeof createPeerPresence>
