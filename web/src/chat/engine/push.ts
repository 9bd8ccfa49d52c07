import type { Ack, RefusalData } from '@proctorpass/shared/events'
import { ACK_TIMEOUT_MS } from '@proctorpass/shared/limits'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import type { Socket } from 'socket.io-client'
import { backoff } from './backoff.ts'

/** An attempt that came to nothing in this time is given up: download, token, connection, namespace. */
const ATTEMPT_MS = 10_000
const FIRST_RETRY_MS = 1_000
const RETRY_CAP_MS = 30_000
/** A connection that lived shorter than this has not shown that the next one will live. */
const STABLE_MS = 5_000

/** One Socket.IO connection that is wanted or not, and is replaced by a fresh one whenever it is in doubt. */
export interface Push {
  readonly isUp: boolean
  /** From now on a connection is wanted. */
  open(): void
  close(): void
  /** Tries at once instead of after the pause. */
  hurry(): void
  /** Drops the connection and makes a fresh one. */
  renew(): void
  /** Null when nobody acknowledged in time, or nobody was there to ask. */
  ask(event: string, input: unknown): Promise<Ack<unknown> | null>
  /** Says something that need not arrive. False when it could not even be said. */
  tell(event: string, input: unknown): boolean
}

export interface PushOptions {
  /** Empty for the page's own. */
  origin: string
  namespace: string
  /** What the namespace asks for. `fresh` when what was given last was refused. */
  auth: (fresh: boolean) => Promise<Record<string, string>>
  onFact: (event: string, fact: unknown) => void
  onUp: () => void
  onDown: () => void
  /** Operations want polling: no connection is wanted any more. */
  onDisabled: () => void
}

export function createPush(options: PushOptions): Push {
  let wanted = false
  let socket: Socket | null = null
  let isUp = false
  let upSince = 0
  let failures = 0
  let attempt = 0
  let refreshed = false
  let pausing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function connect(fresh = false) {
    drop()
    pausing = false
    const mine = ++attempt
    timer = setTimeout(retry, ATTEMPT_MS)
    try {
      const [{ io }, auth] = await Promise.all([import('socket.io-client'), options.auth(fresh)])
      if (mine === attempt) listen(io, auth)
    } catch {
      if (mine === attempt) retry()
    }
  }

  function listen(io: typeof import('socket.io-client').io, auth: Record<string, string>) {
    // Reconnecting is done here, each time with a new connection: nothing of an old one can linger.
    socket = io(options.origin + options.namespace, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth,
    })
    socket.on('connect', () => {
      clearTimeout(timer)
      isUp = true
      upSince = performance.now()
      refreshed = false
      options.onUp()
    })
    socket.onAny(options.onFact)
    socket.on('disconnect', () => retry())
    socket.on('connect_error', (error: Error & { data?: RefusalData }) => {
      const code = error.data?.code
      if (code === 'push-disabled') {
        close()
        options.onDisabled()
      } else if (code === 'unauthorized' && !refreshed) {
        refreshed = true
        void connect(true)
      } else {
        refreshed = false
        retry(error.data?.retryAfterMs)
      }
    })
  }

  function retry(least = 0) {
    if (isUp && performance.now() - upSince > STABLE_MS) failures = 0
    drop()
    if (!wanted) return
    const pause =
      failures === 0 ? Math.random() * FIRST_RETRY_MS : backoff(failures, FIRST_RETRY_MS, RETRY_CAP_MS)
    failures++
    pausing = true
    timer = setTimeout(connect, Math.max(least, pause))
  }

  function drop() {
    clearTimeout(timer)
    attempt++
    const old = socket
    socket = null
    // Before the listeners go: whoever waits for an acknowledgement hears that none will come.
    old?.off().disconnect()
    if (isUp) {
      isUp = false
      options.onDown()
    }
  }

  function close() {
    wanted = false
    failures = 0
    drop()
  }

  return {
    get isUp() {
      return isUp
    },
    open() {
      if (wanted) return
      wanted = true
      void connect()
    },
    close,
    hurry() {
      if (wanted && pausing) void connect()
    },
    renew() {
      if (wanted) retry()
    },
    ask(event, input) {
      const asked = socket
      if (asked === null || !isUp || !asked.connected) return Promise.resolve(null)
      return new Promise((resolve) => {
        asked.timeout(ACK_TIMEOUT_MS).emit(event, input, (error: Error | null, answer: Ack<unknown>) => {
          // Half-open: it would stay silent for long.
          if (error && asked === socket) retry()
          resolve(error ? null : answer)
        })
      })
    },
    tell(event, input) {
      if (!isUp || !socket?.connected) return false
      socket.emit(event, input)
      return true
    },
  }
}
