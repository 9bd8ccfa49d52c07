import {
  CLIENT_ID_PATTERN,
  ENDPOINT_ANSWER_MAX,
  ENDPOINT_URL_MAX,
  INTEGRATION_NAME_MAX,
} from '@proctorpass/shared/limits'
import { type DisabledBy, DisabledBySchema } from '@proctorpass/shared/schemas/endpoint'
import { EVENT_TYPES, type EventType, EventTypeSchema } from '@proctorpass/shared/schemas/event'
import Type from 'typebox'
import { Count, Id, OrNull, Positive, strict, Time, TimeOrNull, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A secret that signs posts. Times are milliseconds since 1970 UTC. */
export interface EndpointSecretRecord {
  /** The sealed secret, see `Seal`. */
  sealed: string
  createdAt: number
  /** The time until which it signs together with a newer secret. Null for the newest. */
  endsAt: number | null
}

/** A URL to which events are posted. */
export interface EndpointRecord {
  _id: string
  name: string
  url: string
  /** The event types that are posted. Empty for all types. */
  types: readonly EventType[]
  notes: boolean
  /** Null while the endpoint is enabled. */
  disabledBy: DisabledBy | null
  /** The time of the first failure since the last success, or null. */
  failingSince: number | null
  /** At most two secrets, the newest first. */
  secrets: readonly EndpointSecretRecord[]
  /** Events up to this number were posted or have a retry. */
  after: number
  /** A replay posts the events after this number, up to `replayTo`. Both are 0 while no replay is running. */
  replayAfter: number
  replayTo: number
  createdAt: number
  version: number
}

/** The `event` of a test post, which reports no event. */
export const TEST_EVENT = 0

/** An event that an endpoint did not take. Later events of its subject wait for it. */
export interface RetryRecord {
  /** The endpoint's ID and the subject. */
  _id: string
  endpoint: string
  /** The conversation's clientId. Other events and tests have a name of their own. */
  subject: string
  /** The event's number, or TEST_EVENT. */
  event: number
  /** The number of times that the event was posted. */
  attempts: number
  dueAt: number
}

/** One request to an endpoint. */
export interface DeliveryRecord {
  /** The time and a number, so that IDs sort by time, see `deliveryId`. */
  _id: string
  endpoint: string
  /** The event's number, or 0 for a test. */
  event: number
  type: EventType | 'test'
  at: number
  /** Erasing this conversation removes the row, because an answer can repeat the posted event. */
  clientId: string | null
  attempt: number
  status: number | null
  error: string | null
  ms: number
  answer: string
}

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const

const Secret = strict({
  sealed: Type.String({ pattern: '^[A-Za-z0-9_-]{1,256}$' }),
  createdAt: Time,
  endsAt: TimeOrNull,
})

export const ENDPOINTS: PlainTable<EndpointRecord> = {
  name: 'endpoints',
  key: '_id',
  fields: {
    _id: Id,
    name: text(INTEGRATION_NAME_MAX, 1),
    // `hostOf` accepts such a URL.
    url: Type.String({ pattern: '^https?://[!-~]+$', maxLength: ENDPOINT_URL_MAX }),
    types: Type.Array(EventTypeSchema, { maxItems: EVENT_TYPES.length }),
    notes: Type.Boolean(),
    disabledBy: OrNull(DisabledBySchema),
    failingSince: TimeOrNull,
    secrets: Type.Array(Secret, { minItems: 1, maxItems: 2 }),
    after: Count,
    replayAfter: Count,
    replayTo: Count,
    createdAt: Time,
    version: Positive,
  },
  indexes: { oldest: { by: OLDEST_FIRST } },
}

export function openEndpoints(endpoints: Rows<EndpointRecord>) {
  return {
    /** Lists all endpoints in the order of their creation. No time is below 0, so the index serves the list. */
    list: () => endpoints.list({ createdAt: { '>=': 0 } }, { order: OLDEST_FIRST }),
    find: (_id: string) => endpoints.find({ _id }),
    /** Creates an endpoint. Returns false when there are `max`. Of two that are created at once, both may be stored. */
    async create(endpoint: EndpointRecord, max: number): Promise<boolean> {
      return (await endpoints.count()) < max && (await endpoints.insert(endpoint))
    },
    /** Changes the row if it is as expected, which the write itself checks. Returns false when it is not or is gone. */
    update: async (_id: string, expected: Partial<EndpointRecord>, change: Partial<EndpointRecord>) =>
      (await endpoints.update({ ...expected, _id }, change)) === 'updated',
    remove: async (_id: string) => (await endpoints.remove({ _id })) === 1,
  }
}

const SUBJECT = '[A-Za-z0-9._ -]{1,100}'

export const RETRIES: PlainTable<RetryRecord> = {
  name: 'retries',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: `^[0-9a-f]{24} ${SUBJECT}$` }),
    endpoint: Id,
    subject: Type.String({ pattern: `^${SUBJECT}$` }),
    event: Count,
    attempts: Count,
    dueAt: Time,
  },
  indexes: { due: { by: { endpoint: 1, dueAt: 1 } } },
}

export function openRetries(retries: Rows<RetryRecord>) {
  const keyOf = (endpoint: string, subject: string) => `${endpoint} ${subject}`
  return {
    /** Finds a subject's retry, also when it has just been stored and a failover followed. */
    find: (endpoint: string, subject: string) =>
      retries.find({ _id: keyOf(endpoint, subject) }, { fromPrimary: true }),
    /** Lists the endpoint's retries for events up to the number `to`, the earliest due first. */
    list: (endpoint: string, { to = Number.MAX_SAFE_INTEGER, limit }: { to?: number; limit: number }) =>
      retries.list({ endpoint, event: { '<=': to } }, { order: { dueAt: 1 }, limit }),
    /**
     * Stores a retry. It replaces the subject's stored retry for this endpoint, unless that one is for the same or an
     * earlier event.
     */
    async put(retry: Omit<RetryRecord, '_id'>): Promise<void> {
      const { endpoint, event, attempts, dueAt } = retry
      const _id = keyOf(endpoint, retry.subject)
      while (!(await retries.insert({ ...retry, _id }))) {
        const later = { _id, event: { '>': event } }
        if ((await retries.update(later, { event, attempts, dueAt })) === 'updated') return
        // This update changes nothing, but only a write can tell whether a stored retry is still there. Without one, the
        // loop inserts again.
        const holding = { _id, event: { '<=': event } }
        if ((await retries.update(holding, { endpoint })) === 'updated') return
      }
    },
    /**
     * Removes or, with `next`, changes a retry if it is as given. Two nodes can handle it while one of them loses its
     * claim. Returns false when the retry has changed.
     */
    async settle(
      { _id, event, attempts, dueAt }: RetryRecord,
      next: Pick<RetryRecord, 'event' | 'attempts' | 'dueAt'> | null,
    ): Promise<boolean> {
      const expected = { _id, event, attempts, dueAt }
      if (next === null) return (await retries.remove(expected)) === 1
      const set = { event: next.event, attempts: next.attempts, dueAt: next.dueAt }
      return (await retries.update(expected, set)) === 'updated'
    },
    async removeOf(endpoint: string): Promise<void> {
      await retries.remove({ endpoint })
    },
  }
}

export type RetryRepository = ReturnType<typeof openRetries>

export const DELIVERIES: PlainTable<DeliveryRecord> = {
  name: 'deliveries',
  key: '_id',
  fields: {
    _id: Id,
    endpoint: Id,
    event: Count,
    type: Type.Union([EventTypeSchema, Type.Literal('test')]),
    at: Time,
    clientId: OrNull(Type.String({ pattern: CLIENT_ID_PATTERN })),
    attempt: Positive,
    status: OrNull(Type.Integer({ minimum: 0, maximum: 999 })),
    error: OrNull(text(200)),
    ms: Count,
    answer: text(ENDPOINT_ANSWER_MAX),
  },
  indexes: {
    newest: { by: { endpoint: 1, _id: -1 } },
    client: { by: { clientId: 1 } },
  },
}

/** Returns an ID. IDs sort by time, to the millisecond. */
export function deliveryId(at: number): string {
  return at.toString(16).padStart(12, '0') + newId().slice(-12)
}

export function openDeliveries(deliveries: Rows<DeliveryRecord>) {
  const order = { _id: -1 } as const
  return {
    async add(delivery: DeliveryRecord): Promise<void> {
      await deliveries.insert(delivery)
    },
    async remove(_id: string): Promise<void> {
      await deliveries.remove({ _id })
    },
    /** Lists the newest deliveries first, those before an ID if it is given. */
    page: (endpoint: string, { before, limit }: { before?: string | undefined; limit: number }) =>
      deliveries.list(
        { endpoint, ...(before === undefined ? {} : { _id: { '<': before } }) },
        { order, limit },
      ),
    /** Removes all but an endpoint's newest `keep` deliveries. */
    async prune(endpoint: string, keep: number): Promise<void> {
      const [newestToGo] = await deliveries.list({ endpoint }, { order, offset: keep, limit: 1 })
      if (newestToGo !== undefined) await deliveries.remove({ endpoint, _id: { '<=': newestToGo._id } })
    },
    async removeOf(endpoint: string): Promise<void> {
      await deliveries.remove({ endpoint })
    },
  }
}
