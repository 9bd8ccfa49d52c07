import type { ErrorCode } from '@proctorpass/shared/errors'
import { AppError } from '@proctorpass/shared/errors'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Caller } from '../auth/caller.ts'
import type { Chat } from '../chat/chat.ts'
import type { HubObserver } from '../hub/types.ts'
import type { DiskSpace } from '../limits/disk-space.ts'
import type { Limits } from '../limits/limits.ts'
import type { Storage } from '../storage/storage.ts'
import type { UploadFiles } from '../storage/upload-files.ts'
import { type CallEnded, observeCalls } from './observe-calls.ts'

/** Counted by each cache itself. */
export interface CacheReads {
  hits: number
  misses: number
}

/** What is not counted as it happens, but looked at whenever somebody asks. */
export interface Watched {
  sockets: () => { visitor: number; admin: number }
  connections: () => { open: number; waitingBytes: number; closed: Readonly<Record<string, number>> }
  /** Rejects when the store does not answer in time. */
  askStore: () => Promise<void>
  caches: { kind: 'page' | 'list'; reads: CacheReads }[]
  /** Undefined where there is no Redis. */
  askRedis?: (() => Promise<boolean>) | undefined
  /** Undefined where the store is on no disk of this machine. */
  disk?: DiskSpace | undefined
  /** How often content changed, here or in another process, and all caches were cleared. */
  contentDrops: () => number
}

/** A request that was answered. `route` is the pattern of its route, never its address. */
export interface AnsweredRequest {
  method: string
  route: string
  status: number
  seconds: number
  /** Why it was refused, when it was. */
  refusedFor: ErrorCode | null
}

/**
 * Counts what the process does, from outside of what does it: the services, the store and the hub know nothing of
 * Prometheus, and without METRICS_TOKEN none of this is loaded. Labels are words of ours; nothing that comes from
 * outside ever becomes one.
 */
export interface Metrics {
  chat(chat: Chat): Chat
  limits(limits: Limits): Limits
  storage(storage: Storage): Storage
  uploadFiles(files: UploadFiles): UploadFiles
  hub: HubObserver
  requestAnswered(request: AnsweredRequest): void
  watch(watched: Watched): void
  scrape(): Promise<{ type: string; text: string }>
}

/** From a message in memory to a disk that is in trouble. */
const ACK_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORE_BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Node lets some thirty methods in; those that no route has are one. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

export function createMetrics(): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `proctorpass_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]) =>
    new Histogram({ name: `proctorpass_${name}`, help, buckets, labelNames, registers })

  const stored = counter('messages_stored_total', 'Messages stored', ['transport', 'side'])
  const repeated = counter(
    'messages_repeated_total',
    'Sends of a message that was stored before: an outbox tried again',
    ['transport', 'side'],
  )
  const delivered = counter('messages_delivered_total', 'Messages pushed out, one for each socket', [
    'audience',
  ])
  const acknowledged = histogram(
    'message_ack_seconds',
    'From the receipt of a send to its acknowledgement',
    ACK_BUCKETS,
    ['transport'],
  )
  const catchUps = counter(
    'catch_ups_total',
    'Questions by socket for what is newer than a known message, the regular ones of every half minute included',
    ['side'],
  )
  const polls = counter('polls_total', 'Reads of the chat over HTTP', ['read'])
  const storeCalls = histogram(
    'store_operation_seconds',
    'Calls of the store, from the call to its answer',
    STORE_BUCKETS,
    ['operation', 'outcome'],
  )
  const requests = histogram(
    'http_request_seconds',
    'Answered requests, by the pattern of their route and the class of their status',
    REQUEST_BUCKETS,
    ['method', 'route', 'status'],
  )
  const refusals = counter('refusals_total', 'What was refused, and why', ['via', 'reason'])
  const limited = counter('rate_limited_total', 'Refusals by a limit on how often, by the limit', ['limit'])

  const storeCallEnded: CallEnded = (operation, seconds, failed) =>
    storeCalls.observe({ operation, outcome: failed ? 'failed' : 'ok' }, seconds)
  const transportOf = (caller: Caller) => (caller.connection === undefined ? 'http' : 'socket')

  return {
    chat: (chat) => ({
      ...chat,
      async send(caller, input) {
        const labels = { transport: transportOf(caller), side: caller.side }
        const took = acknowledged.startTimer({ transport: labels.transport })
        const sent = await chat.send(caller, input)
        took()
        ;(sent.repeated ? repeated : stored).inc(labels)
        return sent
      },
      async page(caller, clientId, query, options) {
        const page = await chat.page(caller, clientId, query, options)
        if (transportOf(caller) === 'http') polls.inc({ read: 'conversation' })
        else if (query.after !== undefined) catchUps.inc({ side: caller.side })
        return page
      },
      async conversations(caller, query) {
        const page = await chat.conversations(caller, query)
        polls.inc({ read: 'list' })
        return page
      },
      async unreadCount(caller) {
        const count = await chat.unreadCount(caller)
        polls.inc({ read: 'unread' })
        return count
      },
    }),

    limits: (limits) => ({
      ...limits,
      async take(kind, key, points) {
        try {
          return await limits.take(kind, key, points)
        } catch (error) {
          if (error instanceof AppError && error.code === 'rate-limited') limited.inc({ limit: kind })
          throw error
        }
      },
    }),

    storage(storage) {
      const observed: Record<string, unknown> = { ...storage }
      for (const [name, part] of Object.entries(storage)) {
        if (typeof part === 'object' && part !== null) {
          observed[name] = observeCalls(part, name, storeCallEnded)
        }
      }
      return observed as unknown as Storage
    },

    uploadFiles: (files) => observeCalls(files, 'uploads', storeCallEnded),

    hub: {
      refused: (reason) => refusals.inc({ via: 'socket', reason }),
      sent(audience, event) {
        if (event === 'message:created') delivered.inc({ audience })
      },
    },

    requestAnswered({ method, route, status, seconds, refusedFor }) {
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        route,
        status: `${Math.trunc(status / 100)}xx`,
      }
      requests.observe(labels, seconds)
      if (refusedFor !== null) refusals.inc({ via: 'http', reason: refusedFor })
    },

    watch({ sockets, connections, askStore, caches, askRedis, disk, contentDrops }) {
      const gauge = <L extends string>(
        name: string,
        help: string,
        labelNames: L[],
        look: (set: Gauge<L>) => unknown,
      ) =>
        new Gauge({
          name: `proctorpass_${name}`,
          help,
          labelNames,
          registers,
          async collect() {
            await look(this)
          },
        })
      gauge('sockets', 'Open sockets of this process', ['audience'], (gauge) => {
        for (const [audience, count] of Object.entries(sockets())) gauge.set({ audience }, count)
      })
      gauge('connections', 'Open connections of this process, those of sockets included', [], (gauge) =>
        gauge.set(connections().open),
      )
      gauge('waiting_bytes', 'Bytes that wait for peers to read them', [], (gauge) =>
        gauge.set(connections().waitingBytes),
      )
      new Counter({
        name: 'proctorpass_connections_closed_total',
        help: 'Connections that were closed because they held too much',
        labelNames: ['reason'],
        registers,
        collect() {
          this.reset()
          for (const [reason, count] of Object.entries(connections().closed)) this.inc({ reason }, count)
        },
      })
      gauge('store_up', 'Whether the store answers', [], (gauge) =>
        askStore().then(
          () => gauge.set(1),
          () => gauge.set(0),
        ),
      )
      if (askRedis !== undefined) {
        gauge('redis_up', 'Whether Redis answers', [], async (gauge) => gauge.set((await askRedis()) ? 1 : 0))
      }
      if (disk !== undefined) {
        gauge('disk_free_bytes', 'Free bytes on the disk that holds DATA_DIR', [], async (gauge) =>
          gauge.set((await disk.look()).freeBytes),
        )
        gauge(
          'disk_refused',
          'Whether writes are refused because the disk has no room, by who writes',
          ['side'],
          async (gauge) => {
            const { state } = await disk.look()
            gauge.set({ side: 'visitor' }, state === 'ok' ? 0 : 1)
            gauge.set({ side: 'admin' }, state === 'full' ? 1 : 0)
          },
        )
      }
      new Counter({
        name: 'proctorpass_content_drops_total',
        help: 'How often everything kept was dropped, because content changed here or in another process',
        registers,
        collect() {
          this.reset()
          this.inc(contentDrops())
        },
      })
      new Counter({
        name: 'proctorpass_kept_reads_total',
        help: 'Finished pages and lists that were asked for: kept ones are hits, those to be made are misses',
        labelNames: ['kind', 'outcome'],
        registers,
        collect() {
          this.reset()
          for (const { kind, reads } of caches) {
            this.inc({ kind, outcome: 'hit' }, reads.hits)
            this.inc({ kind, outcome: 'miss' }, reads.misses)
          }
        },
      })
    },

    async scrape() {
      return { type: register.contentType, text: await register.metrics() }
    },
  }
}
