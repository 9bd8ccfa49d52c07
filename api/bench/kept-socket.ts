import { createReconnects } from '../../web/src/chat/engine/backoff.ts'
import { ATTEMPT_MS } from '../../web/src/chat/engine/push.ts'
import { io } from '../../web/src/chat/engine/socket-io.ts'
import { RawSocket } from './raw-socket.ts'

/** The system's monotonic clock in milliseconds, which all processes share. */
export const clock = () => Number(process.hrtime.bigint()) / 1e6

/** The engine that ships, or Socket.IO's own client with its defaults. */
export type Client = 'engine' | 'socket.io'

interface Schedule {
  attemptMs: number
  /** Returns the pause before the next attempt, after a connection that was up for `upMs`, 0 if it never was. */
  nextPause(upMs: number): number
}

const SCHEDULES: Record<Client, () => Schedule> = {
  engine: () => ({ attemptMs: ATTEMPT_MS, nextPause: createReconnects().nextPause }),
  'socket.io'() {
    const manager = io('http://127.0.0.1', { autoConnect: false, forceNew: true }).io
    // The field is private, but nothing else computes Socket.IO's pauses exactly.
    const { backoff } = manager as unknown as { backoff: { duration(): number; reset(): void } }
    return {
      attemptMs: Number(manager.timeout()),
      nextPause(upMs) {
        if (upMs > 0) backoff.reset()
        return backoff.duration()
      },
    }
  },
}

/** A RawSocket that a client's schedule opens again until `close`. */
export class KeptSocket {
  /** Null while there is no connection. */
  socket: RawSocket | null = null
  readonly #options: Options
  readonly #schedule: Schedule
  #upSince = 0
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
    this.#schedule = SCHEDULES[options.client]()
  }

  /** Resolves after the first attempt. */
  async open(): Promise<void> {
    const { origin, namespace, auth, localAddress, onUp } = this.#options
    try {
      const timeoutMs = this.#schedule.attemptMs
      const socket = await RawSocket.connect(origin, namespace, auth, { localAddress, timeoutMs })
      this.socket = socket
      this.#upSince = performance.now()
      socket.onClose = () => this.#openLater(performance.now() - this.#upSince)
      onUp(socket)
    } catch {
      this.#openLater(0)
    }
  }

  close(): void {
    this.#isClosed = true
    this.socket?.close()
  }

  #openLater(upMs: number): void {
    this.socket = null
    if (!this.#isClosed) setTimeout(() => this.open(), this.#schedule.nextPause(upMs))
  }
}

interface Options {
  client: Client
  origin: string
  namespace: string
  auth: object
  localAddress: string
  onUp: (socket: RawSocket) => void
}
