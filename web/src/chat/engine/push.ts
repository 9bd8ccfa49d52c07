import type {
  AdminCommands,
  AdminFacts,
  RefusalData,
  VisitorCommands,
  VisitorFacts,
} from '@proctorpass/shared/events'
import { ACK_TIMEOUT_MS } from '@proctorpass/shared/limits'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import type { Socket } from 'socket.io-client'
import { createReconnects } from './backoff.ts'
import { createSignal } from './signal.ts'

/** The time for one attempt: download, token, connection, and namespace. */
export const ATTEMPT_MS = 10_000

// biome-ignore lint/suspicious/noExplicitAny: Socket.IO's own constraint of an event map.
type EventMap = Record<string, any>

/** One Socket.IO connection, which opens on demand and is replaced by a new one when it may be dead. */
export interface Connection {
  readonly isUp: boolean
  /** Opens a connection, and keeps one open from then on. */
  open(): void
  close(): void
  /** Ends the pause before the next attempt. */
  retryNow(): void
  /** Drops the connection and opens another after a pause. */
  renew(): void
  onUp(listener: () => void): void
  onDown(listener: () => void): void
  /** Notifies that the server wants polling. The connection is closed then. */
  onDisabled(listener: () => void): void
}

/** A connection to one namespace, typed by the namespace's facts and commands. */
export interface Push<Facts extends EventMap, Commands extends EventMap> extends Connection {
  /** Sends a command. Resolves to null if the socket is not up or the command is not acknowledged in time. */
  ask<T>(command: (socket: Socket<Facts, Commands>) => Promise<T>): Promise<T | null>
  /** Sends a command that may be lost. Returns false if the socket is not up. */
  emit(command: (socket: Socket<Facts, Commands>) => void): boolean
  /** Sets the handlers for facts. Call this before `open`. */
  handle(facts: Facts): void
}
export type VisitorPush = Push<VisitorFacts, VisitorCommands>
export type AdminPush = Push<AdminFacts, AdminCommands>

/** @see docs/decisions/0008-delivery-in-the-browser.md */
export function createPush<Facts extends EventMap, Commands extends EventMap>(options: {
  /** Empty for the page's own origin. */
  origin: string
  namespace: string
  /** Resolves to the handshake. `fresh` is true if the server refused the last one. */
  auth: (fresh: boolean) => Promise<Record<string, string>>
}): Push<Facts, Commands> {
  const up = createSignal()
  const down = createSignal()
  const disabled = createSignal()
  let facts: Facts | null = null
  let wanted = false
  let socket: Socket<Facts, Commands> | null = null
  let isUp = false
  let upSince = 0
  const reconnects = createReconnects()
  let attempt = 0
  let refreshed = false
  let pausing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function connect(fresh = false) {
    drop()
    pausing = false
    const current = ++attempt
    timer = setTimeout(retry, ATTEMPT_MS)
    try {
      const [{ io }, auth] = await Promise.all([import('./socket-io.ts'), options.auth(fresh)])
      if (current === attempt) listen(io, auth)
    } catch {
      if (current === attempt) retry()
    }
  }

  function listen(io: typeof import('socket.io-client').io, auth: Record<string, string>) {
    // This file reconnects by itself, with a new connection each time, so that an old one's state cannot remain.
    socket = io(options.origin + options.namespace, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      ackTimeout: ACK_TIMEOUT_MS,
      auth,
    })
    socket.on('connect', () => {
      clearTimeout(timer)
      isUp = true
      upSince = performance.now()
      refreshed = false
      up.emit()
    })
    for (const event in facts) socket.on(event, facts[event])
    socket.on('disconnect', () => retry())
    socket.on('connect_error', (error: Error & { data?: RefusalData }) => {
      const code = error.data?.code
      if (code === 'push-disabled') {
        close()
        disabled.emit()
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
    const upMs = isUp ? performance.now() - upSince : 0
    drop()
    if (!wanted) return
    const pause = reconnects.nextPause(upMs)
    pausing = true
    timer = setTimeout(connect, Math.max(least, pause))
  }

  function drop() {
    clearTimeout(timer)
    attempt++
    const old = socket
    socket = null
    // disconnect() also rejects the acknowledgements that are awaited.
    old?.off().disconnect()
    if (isUp) {
      isUp = false
      down.emit()
    }
  }

  function close() {
    wanted = false
    reconnects.reset()
    drop()
  }

  const connected = () => (isUp && socket?.connected ? socket : null)

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
    retryNow() {
      if (wanted && pausing) void connect()
    },
    renew() {
      if (wanted) retry()
    },
    onUp: up.on,
    onDown: down.on,
    onDisabled: disabled.on,
    async ask(command) {
      const asked = connected()
      if (asked === null) return null
      try {
        return await command(asked)
      } catch {
        // The connection is half-open. Socket.IO would notice that only after 45 seconds.
        if (asked === socket) retry()
        return null
      }
    },
    emit(command) {
      const current = connected()
      if (current !== null) command(current)
      return current !== null
    },
    handle(handlers) {
      facts = handlers
    },
  }
}
