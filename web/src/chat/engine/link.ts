import { AppError } from '@proctorpass/shared/errors'
import { CONNECT_TIMEOUT_MS } from '@proctorpass/shared/limits'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { Connection } from './push.ts'
import { createSignal } from './signal.ts'
import { type Tab, watchTab } from './tab.ts'
import type { LinkState } from './types.ts'

/** The connection to the server, as it is shown to a person. */
export interface Link {
  getState(): LinkState
  subscribe(listener: () => void): () => void
}

/** The chosen transport. The link knows no conversations; they subscribe to its signals. */
export interface ChatLink extends Link {
  /**
   * A new number for each of the socket's connections, because facts may be lost between two. Null while no connection
   * is up.
   */
  readonly connectionId: number | null
  readonly isStarted: boolean
  /** False until messages must flow. Until then no socket is opened and nothing is polled. */
  readonly isActive: boolean
  start(): void
  stop(): void
  activate(): void
  resync(): void
  /** Call this when the server wants this transport. */
  setTransport(transport: Transport): void
  /** Call these when reading succeeded or failed. They decide the state that is shown to a person. */
  reportSuccess(): void
  reportFailure(error: unknown): void
  /** Notifies that facts may have been missed: after start, connect, and wake, and regularly while connected. */
  onResync(listener: () => void): void
  /** Notifies that polling carries messages from now on. */
  onPolling(listener: () => void): void
  /** Notifies that the server may be reachable again. Called after onResync. */
  onReachable(listener: () => void): void
  /** Notifies that another tab changed a key in localStorage, or all keys if the key is null. */
  onStorageChange(listener: (key: string | null) => void): void
  /** Notifies that the page is left, perhaps for good. */
  onLeave(listener: () => void): void
  onStop(listener: () => void): void
}

/** @see docs/decisions/0008-delivery-in-the-browser.md */
export function createLink(tab: Tab, push: Connection, initialTransport: Transport): ChatLink {
  const changed = createSignal()
  const resynced = createSignal()
  const polling = createSignal()
  const reachable = createSignal()
  const storageChanged = createSignal<string | null>()
  const left = createSignal()
  const stopped = createSignal()

  let started = false
  let active = false
  let transport = initialTransport
  /** Whether polling carries messages because the socket does not come up. */
  let handedOver = false
  let connections = 0
  let handover: ReturnType<typeof setTimeout> | undefined
  let stopWatching = () => {}
  let state: LinkState = { connection: 'connecting', trouble: null, via: transport }

  function update(connection = state.connection, trouble = state.trouble) {
    const via = handedOver ? 'polling' : transport
    if (connection === state.connection && trouble === state.trouble && via === state.via) return
    state = { connection, trouble, via }
    changed.emit()
  }

  push.onUp(() => {
    clearTimeout(handover)
    connections++
    handedOver = false
    update('connected', null)
    resync()
  })
  push.onDown(() => {
    update('connecting', tab.isOnline() ? null : 'offline')
    if (transport === 'push') awaitSocket()
  })
  push.onDisabled(() => {
    transport = 'polling'
    clearTimeout(handover)
    update()
    polling.emit()
  })

  function awaitSocket() {
    clearTimeout(handover)
    if (!started || !active || handedOver) return
    handover = setTimeout(() => {
      handedOver = true
      update()
      polling.emit()
    }, CONNECT_TIMEOUT_MS)
  }

  function applyTransport() {
    if (!started || !active || push.isUp) return
    if (transport === 'push') {
      push.open()
      awaitSocket()
    } else push.close()
  }

  function resync() {
    resynced.emit()
    reachable.emit()
  }

  function wake() {
    if (!active && state.connection === 'connected') return
    if (active && transport === 'push') push.retryNow()
    resync()
  }

  return {
    get connectionId() {
      return push.isUp ? connections : null
    },
    get isStarted() {
      return started
    },
    get isActive() {
      return active
    },
    getState: () => state,
    subscribe: changed.on,
    start() {
      if (started) return
      started = true
      stopWatching = watchTab(tab, {
        onWake: wake,
        onOffline() {
          push.renew()
          update('connecting', 'offline')
        },
        onStorage: storageChanged.emit,
        onLeave: left.emit,
        // Browsers do not put a page with a socket into the back/forward cache.
        onCached: push.close,
        onRestored() {
          applyTransport()
          wake()
        },
      })
      applyTransport()
      resync()
    },
    stop() {
      if (!started) return
      started = false
      stopWatching()
      clearTimeout(handover)
      push.close()
      stopped.emit()
      handedOver = false
      update('connecting', null)
    },
    activate() {
      if (active) return
      active = true
      applyTransport()
      if (state.via === 'polling') polling.emit()
    },
    resync,
    setTransport(wanted) {
      if (wanted === transport || push.isUp) return
      transport = wanted
      // Polling continues until the socket is up.
      if (wanted === 'push') handedOver = true
      clearTimeout(handover)
      applyTransport()
      update()
    },
    reportSuccess() {
      if (state.connection === 'connected') return
      update('connected', null)
      reachable.emit()
    },
    reportFailure(error) {
      if (push.isUp || !started) return
      const plain = error instanceof AppError && error.status < 500 ? error.message : 'unreachable'
      update('connecting', tab.isOnline() ? plain : 'offline')
    },
    onResync: resynced.on,
    onPolling: polling.on,
    onReachable: reachable.on,
    onStorageChange: storageChanged.on,
    onLeave: left.on,
    onStop: stopped.on,
  }
}
