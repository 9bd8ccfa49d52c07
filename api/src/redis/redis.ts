import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { FastifyBaseLogger } from 'fastify'

const CONNECT_TIMEOUT_MS = 3_000
/**
 * A connection without traffic for this long is dead. The client's PINGs only count as traffic while they are answered.
 */
const SILENT_MS = 5_000
const PING_EVERY_MS = 1_000
const RETRY_FIRST_MS = 50
const RETRY_CAP_MS = 2_000
/** The most commands that may wait to be sent or answered. Further commands fail at once. */
const WAITING_MAX = 10_000
/** A command without an answer for this long fails, and its connection is replaced. */
const ANSWER_TIMEOUT_MS = 1_000

type Listener = (message: Buffer, channel: Buffer) => unknown

/** The commands that rate limiters use. They fail fast. */
export interface RedisStore {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  del(key: string): Promise<number>
}

/**
 * Connects a best-effort Redis client, which fails fast and reconnects forever. Callers provide the fallback. Returns
 * at once, connected or not. Never logs the URL, which may contain a password.
 * @see docs/decisions/0020-several-processes-over-redis.md
 */
export function connectRedis(url: string, log: FastifyBaseLogger) {
  // Two connections are needed, because a subscriber before RESP3 takes no other commands, and Redis disconnects
  // subscribers that fall behind.
  const commands = newClient(url)
  const subscriber = newClient(url)
  const clients = [commands, subscriber]
  const pendingSubscriptions = new Set<() => Promise<void>>()
  let isUp: boolean | null = null
  let closed = false

  for (const client of clients) {
    client.on('error', (error: NodeJS.ErrnoException) => logDown(error.code ?? error.message))
    client.on('ready', subscribeAll)
    connect(client)
  }

  function connect(client: Client): void {
    // This rejects only on close(). The 'error' event has each failed attempt's reason.
    client.connect().catch(() => {})
  }

  function logDown(reason: string): void {
    if (closed || isUp === false) return
    isUp = false
    log.warn(
      { reason },
      'Redis is unreachable: this process serves only its own sockets and counts limits alone',
    )
  }

  function logUp(): void {
    if (closed || isUp || !commands.isReady || !subscriber.isReady || pendingSubscriptions.size > 0) return
    isUp = true
    log.info('Redis is connected: events reach the other processes')
  }

  /**
   * Runs a command with a timeout. The client has no timeout for commands it has sent, and its `socketTimeout` restarts
   * with each write, so a busy connection to a Redis that does not answer would last.
   */
  async function withTimeout<T>(command: () => Promise<T>): Promise<T> {
    let isAnswered = false
    const timer = setTimeout(() => {
      // After a blocked event loop, the answer may have arrived without being read.
      setImmediate(() => {
        if (isAnswered || closed || !commands.isReady) return
        logDown('no answer')
        // This rejects all waiting commands.
        commands.destroy()
        connect(commands)
      })
    }, ANSWER_TIMEOUT_MS)
    try {
      return await command()
    } finally {
      isAnswered = true
      clearTimeout(timer)
    }
  }

  /** Subscribes again. The client renews subscriptions, but not those whose first attempt failed. */
  async function subscribeAll(): Promise<void> {
    if (!subscriber.isReady) return
    const attempts = [...pendingSubscriptions].map((subscribe) =>
      subscribe().then(
        () => pendingSubscriptions.delete(subscribe),
        () => {}, // Retried on the next 'ready'.
      ),
    )
    await Promise.all(attempts)
    logUp()
  }

  /**
   * Wraps a listener, because messages may come from another release, and a listener that throws must break neither the
   * connection nor the process.
   */
  function safely(listener: Listener): Listener {
    return async (message, channel) => {
      try {
        await listener(message, channel)
      } catch (error) {
        log.warn({ err: error }, "a message from another process couldn't be handled")
      }
    }
  }

  function addSubscription(subscribe: () => Promise<void>): void {
    pendingSubscriptions.add(subscribe)
    void subscribeAll()
  }

  return {
    /**
     * The prefix for all keys and channels. It names the database, because a server's databases share channels, unlike
     * keys.
     */
    key: `proctorpass-${new URL(url).pathname.slice(1) || '0'}`,
    store: {
      eval: (script: string, options: { keys: string[]; arguments: string[] }) =>
        withTimeout(() => commands.eval(script, options)),
      del: (key: string) => withTimeout(() => commands.del(key)),
    },
    /** Publishes a message, which is lost while Redis is down. */
    publish(channel: string, message: Buffer | string): void {
      // Subscribers that miss the message catch up.
      if (commands.isReady) withTimeout(() => commands.publish(channel, message)).catch(() => {})
    },
    /** Subscribes to channels. The subscription survives reconnections. Patterns end with `*`. */
    subscribe(channels: string[], listener: Listener): void {
      const safe = safely(listener)
      addSubscription(() => subscriber.subscribe(channels, safe, true))
    },
    subscribePattern(pattern: string, listener: Listener): void {
      const safe = safely(listener)
      addSubscription(() => subscriber.pSubscribe(pattern, safe, true))
    },
    /** Whether Redis answers now. */
    async ping(): Promise<boolean> {
      if (!subscriber.isReady) return false
      return withTimeout(() => commands.ping()).then(
        () => true,
        () => false,
      )
    },
    /** Sends pending publications, then disconnects. */
    async close(): Promise<void> {
      closed = true
      if (commands.isReady)
        await Promise.race([commands.close(), wait(ANSWER_TIMEOUT_MS, null, { ref: false })])
      for (const client of clients) client.destroy()
    },
  }
}

export type Redis = ReturnType<typeof connectRedis>

function newClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_MAX,
    pingInterval: PING_EVERY_MS,
    // A timeout here would be one timer per command, and only for commands that are not sent yet.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENT_MS,
      // The jitter keeps many processes from reconnecting at the same instant.
      reconnectStrategy: (retries) =>
        Math.min(RETRY_CAP_MS, RETRY_FIRST_MS * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2),
    },
  })
}

type Client = ReturnType<typeof newClient>
