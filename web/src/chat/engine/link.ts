import { AppError } from '@proctorpass/shared/errors'
import { CONNECT_TIMEOUT_MS } from '@proctorpass/shared/limits'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { Connection } from './push.ts'
import { createSignal } from './signal.ts'
import type { Tab } from './tab.ts'
import type { LinkState } from './types.ts'

/** How the chat reaches the server, for a person to see. */
export interface Link {
  getState(): LinkState
  subscribe(listener: () => void): () => void
}

/** The choice of transport. It knows no conversation: they subscribe to its signals. */
export interface ChatLink extends Link {
  /** A new number for each connection of the socket: facts may be lost between two. Null while none is up. */
  readonly connectionId: number | null
  readonly isStarted: boolean
  /** False until messages must flow: no socket is opened and nothing is polled. */
  readonly isActive: boolean
  start(): void
  stop(): void
  activate(): void
  resync(): void
  /** The server wants this transport. */
  setTransport(transport: Transport): void
  /** Reading succeeded or failed: decides the state that a person sees. */
  reportSuccess(): void
  reportFailure(error: unknown): void
  /** Facts may have been missed: after start, connect and wake, and regularly while connected. */
  onResync(listener: () => void): void
  /** Polling carries messages from now on. */
  onPolling(listener: () => void): void
  /** The server may be reachable again. After onResync. */
  onReachable(listener: () => void): void
  /** Another tab changed a key of localStorage; null: all of them. */
  onStorageChange(listener: (key: string | null) => void): void
  onStop(listener: () => void): void
}

const OFFLINE = 'You are offline. Your messages are kept and will be sent when you are back.'
const UNREACHABLE = 'We cannot reach the server. We keep trying.'

/** @see docs/decisions/0008-delivery-in-the-browser.md */
export function createLink({
  tab,
  transport: initialTransport,
  connection,
}: {
  tab: Tab
  transport: Transport
  connection: Connection
}): ChatLink {
  const changed = createSignal()
  const resynced = createSignal()
  const polling = createSignal()
  const reachable = createSignal()
  const storageChanged = createSignal<string | null>()
  const stopped = createSignal()

  let started = false
  let active = false
  let transport = initialTransport
  /** The socket does not come up: polling carries messages until it does. */
  let handedOver = false
  let healthy = false
  let trouble: string | null = null
  let connections = 0
  let handover: ReturnType<typeof setTimeout> | undefined
  let state = nextState()

  function nextState(): LinkState {
    const via = transport === 'polling' || handedOver ? 'polling' : 'push'
    return { connection: healthy ? 'connected' : 'connecting', trouble, via }
  }

  function update(nextHealthy = healthy, nextTrouble = trouble) {
    healthy = nextHealthy
    trouble = nextTrouble
    const next = nextState()
    if (next.connection === state.connection && next.trouble === state.trouble && next.via === state.via)
      return
    state = next
    changed.emit()
  }

  connection.onUp(() => {
    clearTimeout(handover)
    connections++
    handedOver = false
    update(true, null)
    resync()
  })
  connection.onDown(() => {
    update(false, tab.isOnline() ? null : OFFLINE)
    if (transport === 'push') awaitSocket()
  })
  connection.onDisabled(() => {
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
    if (!started || !active || connection.isUp) return
    if (transport === 'push') {
      connection.open()
      awaitSocket()
    } else connection.close()
  }

  function resync() {
    resynced.emit()
    reachable.emit()
  }

  function wake() {
    if (!active && healthy) return
    if (active && transport === 'push') connection.retryNow()
    resync()
  }

  const tabListeners: Record<string, (event: Event) => void> = {
    online: wake,
    resume: wake,
    visibilitychange() {
      if (tab.isVisible()) wake()
    },
    offline() {
      connection.renew()
      update(false, OFFLINE)
    },
    storage: (event) => storageChanged.emit((event as Event & { key: string | null }).key),
    // The back/forward cache takes no page with a socket, and a page that returns from it has a dead one.
    pagehide(event) {
      if ((event as Event & { persisted: boolean }).persisted) connection.close()
    },
    pageshow(event) {
      if (!(event as Event & { persisted: boolean }).persisted) return
      applyTransport()
      wake()
    },
  }

  return {
    get connectionId() {
      return connection.isUp ? connections : null
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
      // Capture: some of these events are the document's and do not bubble to the window.
      for (const [type, listener] of Object.entries(tabListeners))
        tab.events.addEventListener(type, listener, true)
      applyTransport()
      resync()
    },
    stop() {
      if (!started) return
      started = false
      for (const [type, listener] of Object.entries(tabListeners))
        tab.events.removeEventListener(type, listener, true)
      clearTimeout(handover)
      connection.close()
      stopped.emit()
      handedOver = false
      update(false, null)
    },
    activate() {
      if (active) return
      active = true
      applyTransport()
      if (state.via === 'polling') polling.emit()
    },
    resync,
    setTransport(wanted) {
      if (wanted === transport || connection.isUp) return
      transport = wanted
      // Polling goes on until the socket is up.
      if (wanted === 'push') handedOver = true
      clearTimeout(handover)
      applyTransport()
      update()
    },
    reportSuccess() {
      if (healthy) return
      update(true, null)
      reachable.emit()
    },
    reportFailure(error) {
      if (connection.isUp || !started) return
      const plain = error instanceof AppError && error.status < 500 ? error.message : UNREACHABLE
      update(false, tab.isOnline() ? plain : OFFLINE)
    },
    onResync: resynced.on,
    onPolling: polling.on,
    onReachable: reachable.on,
    onStorageChange: storageChanged.on,
    onStop: stopped.on,
  }
}
