import { randomUUID } from 'node:crypto'

/** Changes within this time are sent together. */
const BATCH_MS = 100
const HEARTBEAT_MS = 10_000
/** A node without a heartbeat for so long is gone, with its state. */
const PEER_TIMEOUT_MS = 30_000

/** A node shuts down: its clients are about to connect to another. */
export interface Gone {
  gone: string
}

export interface PeerStatesOptions<State, Event> {
  /** Sends to all other nodes; may be lost. */
  emit: (event: Event | Gone) => void
  /** Emits the state of this node: after changes, as a heartbeat, and for a peer that just started. */
  emitState: () => void
  /** The state of a peer before its first event. */
  initial: () => State
  /** The peer is gone: empty its state, which counts until then. */
  onGone: (state: State) => void
  /** How long the state of a peer that shuts down stays. */
  graceMs: number
}

/**
 * What each node knows of the others, from what they emit. It is held in memory only, so a node that dies leaves nothing
 * to clean up. What an event holds, and how a lost one is noticed, is up to the caller.
 *
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

  /** This node has changed: its state is emitted soon. */
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
    /** The id of this node. */
    node,
    *states(): Iterable<State> {
      for (const { state } of peers.values()) yield state
    },
    /** The state of the peer, which is alive: call it for each of its events. */
    heardFrom(peer: string): State {
      const known = peers.get(peer)
      if (known !== undefined) {
        known.timeout.refresh()
        return known.state
      }
      const state = initial()
      peers.set(peer, { state, timeout: removeAfter(PEER_TIMEOUT_MS, peer, state) })
      // It may have just started, without any event of this node yet.
      changed()
      return state
    },
    changed,
    /** Sends nothing once this node has left. */
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
