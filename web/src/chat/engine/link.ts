import { AppError } from '@proctorpass/shared/errors'
import { CONNECT_TIMEOUT_MS, SYNC_INTERVAL_MS } from '@proctorpass/shared/limits'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { backoff, retryAfter } from './backoff.ts'
import { createPush, type Push, type PushOptions } from './push.ts'
import type { Tab } from './tab.ts'
import type { LinkState } from './types.ts'

/** How the chat reaches the server, for a person to see. */
export interface Link {
  getState(): LinkState
  subscribe(listener: () => void): () => void
}

/** What is kept level over a link. */
export interface Follower {
  /** Whether anybody looks at it, or it has something to send. */
  isAwake(): boolean
  /** Reads until level. Rejects when the server could not be asked. */
  sync(): Promise<void>
  /** The way may be free again. */
  hurry(): void
  /** A key of localStorage was changed by another tab; null: all of them. */
  storageChanged(key: string | null): void
  /** Stops timers. */
  halt(): void
}

/**
 * Decides when followers read: pushed, at each connect, wake and every half minute; polled, on the poll's timer.
 * Everything else is the same in both.
 */
export interface ChatLink extends Link {
  readonly push: Push
  /** Counts connections of the socket: what was level over one need not be over the next. */
  readonly connections: number
  readonly isStarted: boolean
  start(): void
  stop(): void
  /** From now on messages must flow: until then nothing is held open and nothing is polled. */
  activate(): void
  follow(follower: Follower): void
  /** Reads now; the timer begins anew. */
  sync(): void
  /** Operations want this transport. */
  told(transport: Transport): void
  /** Reading worked, or did not: what a person is told of the link, and when waiting messages try again. */
  worked(): void
  failed(error: unknown): void
}

const OFFLINE = 'You are offline. Your messages are kept and will be sent when you are back.'
const UNREACHABLE = 'We cannot reach the server. We keep trying.'

const FAILED_PAUSE_MS = 1_000
const FAILED_CAP_MS = 10_000
/** Where no conversation is polled, this often is asked what operations want. */
const PROBE_MS = 15_000

export function createLink(options: {
  tab: Tab
  config: PublicConfig['chat']
  push: Omit<PushOptions, 'onUp' | 'onDown' | 'onDisabled'>
  /** Asks for the transport where no conversation's page tells it. */
  probe: () => Promise<Transport>
  /** Facts may have been missed. */
  onResync: () => void
}): ChatLink {
  const { tab, config, probe, onResync } = options
  const followers = new Set<Follower>()
  const listeners = new Set<() => void>()

  let started = false
  let active = false
  let transport = config.transport
  /** The socket does not come up: polling carries until it does. */
  let handedOver = false
  let healthy = false
  let trouble: string | null = null
  let connections = 0
  let failures = 0
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let handover: ReturnType<typeof setTimeout> | undefined
  let state: LinkState = { connection: 'connecting', trouble: null, via: via() }

  const push = createPush({
    ...options.push,
    onUp() {
      clearTimeout(handover)
      connections++
      handedOver = false
      show(true)
      resync()
    },
    onDown() {
      show(false, tab.isOnline() ? null : OFFLINE)
      if (transport === 'push') awaitPush()
    },
    onDisabled() {
      transport = 'polling'
      clearTimeout(handover)
      show(healthy, trouble)
      if (started) void tick()
    },
  })

  function via() {
    return transport === 'polling' || handedOver ? 'polling' : 'push'
  }

  function show(nextHealthy: boolean, nextTrouble: string | null = null) {
    healthy = nextHealthy
    trouble = nextTrouble
    const next: LinkState = { connection: healthy ? 'connected' : 'connecting', trouble, via: via() }
    if (next.connection === state.connection && next.trouble === state.trouble && next.via === state.via)
      return
    state = next
    for (const listener of listeners) listener()
  }

  /** A socket that is not up in time hands over to polling. */
  function awaitPush() {
    clearTimeout(handover)
    if (!started || !active || handedOver) return
    handover = setTimeout(() => {
      handedOver = true
      show(healthy, trouble)
      void tick()
    }, CONNECT_TIMEOUT_MS)
  }

  function carry() {
    if (!started || !active) return
    if (transport === 'push') {
      push.open()
      if (!push.isUp) awaitPush()
    } else if (!push.isUp) push.close()
  }

  async function tick() {
    const mine = ++round
    clearTimeout(timer)
    const awake = [...followers].filter((follower) => follower.isAwake())
    const results = await Promise.allSettled(
      awake.length > 0 ? awake.map((follower) => follower.sync()) : via() === 'polling' ? [ask()] : [],
    )
    if (mine !== round || !started) return
    const errors = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    failures = errors.length > 0 ? failures + 1 : 0
    const pause = pauseBeforeNext()
    if (pause === null) return
    timer = setTimeout(push.isUp ? resync : tick, Math.max(pause, ...errors.map(retryAfter)))
  }

  function pauseBeforeNext(): number | null {
    if (failures > 0) return Math.max(config.pollMs, backoff(failures, FAILED_PAUSE_MS, FAILED_CAP_MS))
    if (!active) return null
    if (push.isUp) return SYNC_INTERVAL_MS
    if (via() === 'push') return null
    return [...followers].some((follower) => follower.isAwake()) ? config.pollMs : PROBE_MS
  }

  async function ask() {
    try {
      told(await probe())
      worked()
    } catch (error) {
      failed(error)
      throw error
    }
  }

  function resync() {
    onResync()
    void tick()
    for (const follower of followers) follower.hurry()
  }

  function told(wanted: Transport) {
    if (wanted === transport || push.isUp) return
    transport = wanted
    // Polling goes on until the socket is up.
    if (wanted === 'push') handedOver = true
    clearTimeout(handover)
    carry()
    show(healthy, trouble)
  }

  function worked() {
    if (healthy) return
    show(true)
    for (const follower of followers) follower.hurry()
  }

  function failed(error: unknown) {
    if (push.isUp || !started) return
    const plain = error instanceof AppError && error.status < 500 ? error.message : UNREACHABLE
    show(false, tab.isOnline() ? plain : OFFLINE)
  }

  function wake() {
    if (!active && healthy) return
    if (active && transport === 'push') push.hurry()
    resync()
  }

  const heard: Record<string, (event: Event) => void> = {
    online: wake,
    resume: wake,
    visibilitychange() {
      if (tab.isVisible()) wake()
    },
    offline() {
      push.renew()
      show(false, OFFLINE)
    },
    storage(event) {
      for (const follower of followers) follower.storageChanged((event as Event & { key: string | null }).key)
    },
    // A page with a socket cannot be kept for going back to; a kept one comes back to a dead socket.
    pagehide(event) {
      if ((event as Event & { persisted: boolean }).persisted) push.close()
    },
    pageshow(event) {
      if (!(event as Event & { persisted: boolean }).persisted) return
      carry()
      wake()
    },
  }

  return {
    push,
    get connections() {
      return connections
    },
    get isStarted() {
      return started
    },
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start() {
      if (started) return
      started = true
      // Captured, because some of them are the document's and do not bubble.
      for (const [type, listener] of Object.entries(heard)) tab.events.addEventListener(type, listener, true)
      carry()
      resync()
    },
    stop() {
      if (!started) return
      started = false
      for (const [type, listener] of Object.entries(heard))
        tab.events.removeEventListener(type, listener, true)
      clearTimeout(timer)
      clearTimeout(handover)
      round++
      push.close()
      for (const follower of followers) follower.halt()
      handedOver = false
      failures = 0
      show(false)
    },
    activate() {
      if (active) return
      active = true
      carry()
      if (started && via() === 'polling') void tick()
    },
    follow(follower) {
      followers.add(follower)
    },
    sync() {
      if (started) void tick()
    },
    told,
    worked,
    failed,
  }
}
