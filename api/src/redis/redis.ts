import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { FastifyBaseLogger } from 'fastify'

const CONNECT_WITHIN_MS = 3_000
/** A connection on which nothing moves for so long is dead, also one that never got to its first command. */
const SILENT_MS = 10_000
const RETRY_FIRST_MS = 50
const RETRY_CAP_MS = 2_000
/** Commands that wait to be sent or answered; what goes beyond fails at once. */
const WAITING_MAX = 10_000
/** A command that somebody waits for fails after this long. */
const ANSWER_WITHIN_MS = 1_000
/** After one that was late, nobody waits again for so long. */
const SPARED_MS = 2_000
const LOOK_EVERY_MS = 1_000
const REPLACED_AFTER_MS = 5_000

type Listener = (message: Buffer, channel: Buffer) => unknown

/** What a rate limiter asks of Redis; fails fast. */
export interface RedisStore {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  del(key: string): Promise<number>
}

/**
 * Redis, as far as it is there: nothing throws or waits long because it is not, and whoever uses it says what happens
 * then. It heals by itself, for ever.
 */
export interface Redis {
  /** What names of ours begin with: channels, unlike keys, know nothing of the database in the URL. */
  readonly key: string
  readonly store: RedisStore
  /** Lost while Redis is away. */
  publish(channel: string, message: Buffer | string): void
  /** Lasts through every reconnection. Patterns end with `*`. */
  subscribe(channels: string[], listener: Listener): void
  subscribePattern(pattern: string, listener: Listener): void
  /** Whether it answers now. */
  answers(): Promise<boolean>
  /** Lets what was published leave, then ends. */
  close(): Promise<void>
}

/** Returns at once, whether Redis is there or not. The URL may hold a password: nothing of it is ever logged. */
export function connectRedis(url: string, log: FastifyBaseLogger): Redis {
  // A connection that subscribes can do nothing else in all releases of Redis, so there are two.
  const commands = newClient(url)
  const subscriber = newClient(url)
  const clients = [commands, subscriber]
  /** What is wanted and was not begun yet. */
  const unsubscribed = new Set<() => Promise<void>>()
  let isUp: boolean | null = null
  let sparedUntil = 0
  let closed = false

  for (const client of clients) {
    client.on('error', (error: NodeJS.ErrnoException) => wentAway(error.code ?? error.message))
    client.on('ready', subscribeAll)
    connect(client)
  }
  const watching = clients.map((client) => setInterval(replaceWhenSilent(client), LOOK_EVERY_MS).unref())

  function connect(client: Client): void {
    // Ends only with close(); why an attempt failed has been told by the 'error' event.
    client.connect().catch(() => {})
  }

  function wentAway(reason: string): void {
    if (closed || isUp === false) return
    isUp = false
    log.warn({ reason }, 'Redis is away: this process serves its own sockets, and counts alone')
  }

  function cameBack(): void {
    if (closed || isUp || !commands.isReady || !subscriber.isReady || unsubscribed.size > 0) return
    isUp = true
    log.info('Redis is there: what happens here is told to the other processes')
  }

  /** A connection cut in the middle looks alive for minutes. */
  function replaceWhenSilent(client: Client): () => void {
    let asking = false
    return async () => {
      if (asking || !client.isReady) return
      asking = true
      const answered = client.ping().then(
        () => true,
        () => true, // Then it is being replaced already.
      )
      const isAlive = await Promise.race([answered, wait(REPLACED_AFTER_MS, false, { ref: false })])
      asking = false
      if (isAlive || closed || !client.isReady) return
      client.destroy()
      wentAway('silent')
      connect(client)
    }
  }

  /** Only the first who meets a stuck Redis waits for it. */
  async function soon<T>(ask: () => Promise<T>): Promise<T> {
    if (performance.now() < sparedUntil) throw new Error('Redis is slow.')
    const late = Promise.withResolvers<never>()
    let answered = false
    const timer = setTimeout(() => {
      // After a busy stretch the answer may be here already, unread.
      setImmediate(() => {
        if (answered) return
        sparedUntil = performance.now() + SPARED_MS
        late.reject(new Error('Redis did not answer in time.'))
      })
    }, ANSWER_WITHIN_MS)
    try {
      return await Promise.race([ask(), late.promise])
    } finally {
      answered = true
      clearTimeout(timer)
    }
  }

  /** The client renews what it is subscribed to, but forgets what failed the first time. */
  async function subscribeAll(): Promise<void> {
    if (!subscriber.isReady) return
    const attempts = [...unsubscribed].map((subscribe) =>
      subscribe().then(
        () => unsubscribed.delete(subscribe),
        () => {}, // With the next 'ready'.
      ),
    )
    await Promise.all(attempts)
    cameBack()
  }

  /** What comes may be of another release: it must break neither the connection nor the process. */
  function safely(listener: Listener): Listener {
    return async (message, channel) => {
      try {
        await listener(message, channel)
      } catch (error) {
        log.warn({ err: error }, 'another process said something odd')
      }
    }
  }

  function keepSubscribed(subscribe: () => Promise<void>): void {
    unsubscribed.add(subscribe)
    void subscribeAll()
  }

  return {
    key: `proctorpass-${new URL(url).pathname.slice(1) || '0'}`,
    store: {
      eval: (script, options) => soon(() => commands.eval(script, options)),
      del: (key) => soon(() => commands.del(key)),
    },
    publish(channel, message) {
      if (!commands.isReady || performance.now() < sparedUntil) return
      // Too many wait, or the connection broke: whoever should have heard it catches up.
      commands.publish(channel, message).catch(() => {})
    },
    subscribe(channels, listener) {
      const heard = safely(listener)
      keepSubscribed(() => subscriber.subscribe(channels, heard, true))
    },
    subscribePattern(pattern, listener) {
      const heard = safely(listener)
      keepSubscribed(() => subscriber.pSubscribe(pattern, heard, true))
    },
    async answers() {
      if (!commands.isReady || !subscriber.isReady) return false
      return soon(() => commands.ping()).then(
        () => true,
        () => false,
      )
    },
    async close() {
      closed = true
      for (const timer of watching) clearInterval(timer)
      if (commands.isReady)
        await Promise.race([commands.close(), wait(ANSWER_WITHIN_MS, null, { ref: false })])
      for (const client of clients) client.destroy()
    },
  }
}

function newClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_MAX,
    // A timer for each command, and it would end only what has not been sent.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_WITHIN_MS,
      socketTimeout: SILENT_MS,
      // For ever. With jitter, so that many processes do not come back in the same instant.
      reconnectStrategy: (retries) =>
        Math.min(RETRY_CAP_MS, RETRY_FIRST_MS * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2),
    },
  })
}

type Client = ReturnType<typeof newClient>
