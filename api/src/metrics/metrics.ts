import { AppError, type ErrorCode } from '@proctorpass/shared/errors'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Caller } from '../auth/caller.ts'
import type { Chat } from '../chat/chat.ts'
import { IGNORE_FACTS } from '../chat/listeners.ts'
import type { HubObserver } from '../hub/types.ts'
import type { Limits } from '../limits/limits.ts'
import type { SendPush } from '../notifications/push-service.ts'
import type { FileStore } from '../storage/model/file-store.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type CallEnded, observeCalls } from './observe-calls.ts'
import { type ObservedState, observeState } from './observed-state.ts'

/** An HTTP request that was answered. `route` is the route's pattern, never the address. */
export interface AnsweredRequest {
  method: string
  route: string
  status: number
  seconds: number
  /** Null unless the request was refused. */
  refusedFor: ErrorCode | null
}

/**
 * Wraps the use cases, the limits, and the store to count their calls. None of these depends on Prometheus, and without
 * METRICS_TOKEN this module is not loaded. Labels come from fixed lists, never from input.
 * @see docs/decisions/0025-metrics-by-wrapping.md
 */
export interface Metrics {
  chat(chat: Chat): Chat
  limits(limits: Limits): Limits
  push(send: SendPush): SendPush
  storage(storage: Storage): Storage
  files(files: FileStore, name: 'uploads' | 'attachmentFiles'): FileStore
  hub: HubObserver
  requestAnswered(request: AnsweredRequest): void
  observe(state: ObservedState): void
  scrape(): Promise<{ type: string; text: string }>
}

/** Buckets in seconds, from a write in memory to a failing disk. */
const ACK_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORE_BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** The methods that have their own label. Node accepts about thirty; those without routes share one label. */
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
    'Repeated sends of a stored message: retries of an outbox',
    ['transport', 'side'],
  )
  const delivered = counter('messages_delivered_total', 'Messages pushed, one for each socket', ['audience'])
  const acknowledged = histogram(
    'message_ack_seconds',
    'From the receipt of a send to its acknowledgement',
    ACK_BUCKETS,
    ['transport'],
  )
  const catchUps = counter(
    'catch_ups_total',
    'Syncs by socket after a known message, including the regular ones every 30 seconds',
    ['side'],
  )
  const polls = counter('polls_total', 'Reads of the chat over HTTP', ['read'])
  const storeCalls = histogram('store_operation_seconds', 'Duration of store calls', STORE_BUCKETS, [
    'operation',
    'outcome',
  ])
  const requests = histogram(
    'http_request_seconds',
    'Answered requests, by the pattern of their route and the class of their status',
    REQUEST_BUCKETS,
    ['method', 'route', 'status'],
  )
  const refusals = counter('refusals_total', 'Refused requests, commands and sockets, by error code', [
    'via',
    'reason',
  ])
  const logged = counter('activity_total', 'Notes and changes that this node stored, by kind', ['kind'])
  const pushes = counter('pushes_total', 'Notifications sent to push services, by what became of them', [
    'outcome',
  ])
  const limited = counter('rate_limited_total', 'Refusals by a rate limit, by the limit', ['limit'])

  const storeCallEnded: CallEnded = (operation, seconds, failed) =>
    storeCalls.observe({ operation, outcome: failed ? 'failed' : 'ok' }, seconds)
  const transportOf = (caller: Caller) => (caller.connection === undefined ? 'http' : 'socket')

  return {
    chat: (chat) => ({
      ...countActivity(chat, logged),
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

    push: (send) => async (subscription, payload) => {
      const answer = await send(subscription, payload)
      pushes.inc({ outcome: answer.outcome })
      return answer
    },

    storage(storage) {
      const observed: Record<string, unknown> = { ...storage }
      for (const [name, part] of Object.entries(storage)) {
        if (typeof part === 'object' && part !== null) {
          observed[name] = observeCalls(part, name, storeCallEnded)
        }
      }
      return observed as unknown as Storage
    },

    files: (files, name) => observeCalls(files, name, storeCallEnded),

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

    observe: (state) => observeState(register, state),

    async scrape() {
      return { type: register.contentType, text: await register.metrics() }
    },
  }
}

/** Counts facts through the chat's listeners, which are called only on the node that stored the fact. */
function countActivity(chat: Chat, logged: Counter<'kind'>): Chat {
  chat.listen({ ...IGNORE_FACTS, activityCreated: ({ kind }) => logged.inc({ kind }) })
  return chat
}
