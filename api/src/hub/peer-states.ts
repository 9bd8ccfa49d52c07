import { randomUUID } from 'node:crypto'

/** Changes within this time are sent together. */
const BATCH_MS = 100
const HEARTBEAT_MS = 10_000
/** A node that sends no heartbeat for this long is gone, with its state. */
const PEER_TIMEOUT_MS = 30_000

/** Says that a node shuts down. Its clients are about to connect to another node. */
export interface Gone {
  gone: string
}

export interface PeerStatesOptions<State, Event> {
  /** Sends an event to all other nodes. The event may be lost. */
  emit: (event: Event | Gone) => void
  /** Emits this node's state: after changes, as a heartbeat, and for a peer that just started. */
  emitState: () => void
  /** Returns a peer's state before its first event. */
  initial: () => State
  /** Called when the peer is gone. The callback must empty its state, which counts until then. */
  onGone: (state: State) => void
  /** How long a peer's state stays after it shuts down. */
  graceMs: number
}

/**
 * Holds what each node knows about the others from what they emit. The state is only in memory, so a node that dies
 * leaves nothing to clean up. The caller decides what an event holds, and how it notices a lost one.
 * @see docs/decisions/0021-peer-presence.md
 */
export function createPeerStates<State, Event>(options: PeerStatesOptions<State, Event>) {
  const { initial, emitState, onGone, graceMs } = options
  const node = randomUUID()
  const peers = new Map<string, { state: State; timeout: NodeJS.Timeout }>()
  let batch: NodeJS.Timeout | undefined
  let left = false
  const heartbeat = setInterval(emitNow, HEARTBEAT_MS).unref()

  function emitNow(): void {
    clearTimeout(batch)
    batch = undefined
    emitState()
  }

  /** Schedules emitting this node's state, which has changed. */
  function changed(): void {
    batch ??= setTimeout(emitNow, BATCH_MS).unref()
  }

  function removeAfter(ms: number, peer: string, state: State): NodeJS.Timeout {
    return setTimeout(() => {
      onGone(state)
      peers.delete(peer)
    }, ms).unref()
  }

  return {
    /** This node's ID. */
    node,
    *states(): Iterable<State> {
      for (const { state } of peers.values()) yield state
    },
    /** Records that the peer is alive, and returns its state. Call this for each of its events. */
    heardFrom(peer: string): State {
      const known = peers.get(peer)
      if (known !== undefined) {
        known.timeout.refresh()
        return known.state
      }
      const state = initial()
      peers.set(peer, { state, timeout: removeAfter(PEER_TIMEOUT_MS, peer, state) })
      // The peer may have just started and not have received this node's state yet.
      changed()
      return state
    },
    changed,
    /** Emits the event, or nothing once this node has left. */
    emit(event: Event): void {
      if (!left) options.emit(event)
    },
    gone(peer: string): void {
      const known = peers.get(peer)
      if (known === undefined) return
      clearTimeout(known.timeout)
      known.timeout = removeAfter(graceMs, peer, known.state)
    },
    leave(): void {
      clearInterval(heartbeat)
      clearTimeout(batch)
      for (const { timeout } of peers.values()) clearTimeout(timeout)
      if (!left) options.emit({ gone: node })
      left = true
    },
  }
}
