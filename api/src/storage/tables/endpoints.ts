import {
  CLIENT_ID_PATTERN,
  ENDPOINT_ANSWER_MAX,
  ENDPOINT_URL_MAX,
  INTEGRATION_NAME_MAX,
} from '@proctorpass/shared/limits'
import { DisabledBySchema } from '@proctorpass/shared/schemas/endpoint'
import { EVENT_TYPES, EventTypeSchema } from '@proctorpass/shared/schemas/event'
import Type from 'typebox'
import type {
  DeliveryRecord,
  DeliveryRepository,
  EndpointRecord,
  EndpointRepository,
  RetryRecord,
  RetryRepository,
} from '../port/endpoints.ts'
import { newId } from '../rules/ids.ts'
import { Count, Id, OrNull, Positive, strict, Time, TimeOrNull, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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
    // As `hostOf` takes it.
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

export function openEndpoints(endpoints: Rows<EndpointRecord>): EndpointRepository {
  return {
    // The least time is 0, so this is all of them, along the index.
    list: () => endpoints.list({ createdAt: { '>=': 0 } }, { order: OLDEST_FIRST }),
    find: (_id) => endpoints.find({ _id }),
    async create(endpoint, max) {
      return (await endpoints.count()) < max && (await endpoints.insert(endpoint))
    },
    update: async (_id, expected, change) =>
      (await endpoints.update({ ...expected, _id }, change)) === 'updated',
    remove: async (_id) => (await endpoints.remove({ _id })) === 1,
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

export function openRetries(retries: Rows<RetryRecord>): RetryRepository {
  const keyOf = (endpoint: string, subject: string) => `${endpoint} ${subject}`
  return {
    find: (endpoint, subject) => retries.find({ _id: keyOf(endpoint, subject) }),
    list: (endpoint, { to = Number.MAX_SAFE_INTEGER, limit }) =>
      retries.list({ endpoint, event: { '<=': to } }, { order: { dueAt: 1 }, limit }),
    async put(retry) {
      const { endpoint, event, attempts, dueAt } = retry
      const _id = keyOf(endpoint, retry.subject)
      while (!(await retries.insert({ ...retry, _id }))) {
        const later = { _id, event: { '>': event } }
        if ((await retries.update(later, { event, attempts, dueAt })) === 'updated') return
        // Changes nothing: only a write knows for sure that one is there. Else another process has removed it meanwhile.
        const holding = { _id, event: { '<=': event } }
        if ((await retries.update(holding, { endpoint })) === 'updated') return
      }
    },
    async settle({ _id, event, attempts, dueAt }, next) {
      const expected = { _id, event, attempts, dueAt }
      if (next === null) return (await retries.remove(expected)) === 1
      const set = { event: next.event, attempts: next.attempts, dueAt: next.dueAt }
      return (await retries.update(expected, set)) === 'updated'
    },
    async removeOf(endpoint) {
      await retries.remove({ endpoint })
    },
  }
}

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

/** In order of time, to the millisecond. */
export function deliveryId(at: number): string {
  return at.toString(16).padStart(12, '0') + newId().slice(-12)
}

export function openDeliveries(deliveries: Rows<DeliveryRecord>): DeliveryRepository {
  const order = { _id: -1 } as const
  return {
    async add(delivery) {
      await deliveries.insert(delivery)
    },
    async remove(_id) {
      await deliveries.remove({ _id })
    },
    page: (endpoint, { before, limit }) =>
      deliveries.list(
        { endpoint, ...(before === undefined ? {} : { _id: { '<': before } }) },
        { order, limit },
      ),
    async prune(endpoint, keep) {
      const [newestToGo] = await deliveries.list({ endpoint }, { order, offset: keep, limit: 1 })
      if (newestToGo !== undefined) await deliveries.remove({ endpoint, _id: { '<=': newestToGo._id } })
    },
    async removeOf(endpoint) {
      await deliveries.remove({ endpoint })
    },
  }
}
