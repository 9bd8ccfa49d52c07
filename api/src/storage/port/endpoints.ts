import type { DisabledBy } from '@proctorpass/shared/schemas/endpoint'
import type { EventType } from '@proctorpass/shared/schemas/event'

/** A secret that signs posts. Times are milliseconds since 1970 UTC. */
export interface EndpointSecretRecord {
  /** See `Seal`. */
  sealed: string
  createdAt: number
  /** Until then it signs beside a newer one; null: it is the newest. */
  endsAt: number | null
}

/** A URL that events are posted to. */
export interface EndpointRecord {
  _id: string
  name: string
  url: string
  /** Empty: all. */
  types: readonly EventType[]
  notes: boolean
  /** Null: it is enabled. */
  disabledBy: DisabledBy | null
  /** The first failure since a success; null: none. */
  failingSince: number | null
  /** The newest first, at most two. */
  secrets: readonly EndpointSecretRecord[]
  /** Events up to this id were posted, or have a retry. */
  after: number
  /** A replay posts what follows this id, up to `replayTo`; both 0: none is under way. */
  replayAfter: number
  replayTo: number
  createdAt: number
  version: number
}

export interface EndpointRepository {
  /** In order of creation. */
  list(): Promise<EndpointRecord[]>
  find(id: string): Promise<EndpointRecord | null>
  /** False when there are `max` already. Of two that are created at once both may be stored. */
  create(endpoint: EndpointRecord, max: number): Promise<boolean>
  /** Changes the row while it is as expected, judged by the write. False when it is not, or is gone. */
  update(id: string, expected: Partial<EndpointRecord>, change: Partial<EndpointRecord>): Promise<boolean>
  remove(id: string): Promise<boolean>
}

/** The `event` of a test, which tells of no event. */
export const TEST_EVENT = 0

/** An event that an endpoint did not take. Later events of its subject wait for it. */
export interface RetryRecord {
  /** The endpoint and the subject. */
  _id: string
  endpoint: string
  /** The clientId of the conversation; of other events and of tests a name of their own. */
  subject: string
  /** The id of the event, or TEST_EVENT. */
  event: number
  /** How often it was posted. */
  attempts: number
  dueAt: number
}

export interface RetryRepository {
  find(endpoint: string, subject: string): Promise<RetryRecord | null>
  /** Of an endpoint, the earliest due first. `to`: only for events up to this id. */
  list(endpoint: string, options: { to?: number; limit: number }): Promise<RetryRecord[]>
  /** In place of that of the same endpoint and subject, unless that is for the same or an earlier event. */
  put(retry: Omit<RetryRecord, '_id'>): Promise<void>
  /**
   * Removes or, with `next`, changes a retry while it is as given: two nodes can have it while one loses its claim. False
   * when it is not.
   */
  settle(retry: RetryRecord, next: Pick<RetryRecord, 'event' | 'attempts' | 'dueAt'> | null): Promise<boolean>
  removeOf(endpoint: string): Promise<void>
}

/** One request to an endpoint. */
export interface DeliveryRecord {
  /** Its time and a number: in order of time, see `deliveryId`. */
  _id: string
  endpoint: string
  /** 0: a test. */
  event: number
  type: EventType | 'test'
  at: number
  /** Erasing the conversation removes the row: an answer can repeat the posted event. */
  clientId: string | null
  attempt: number
  status: number | null
  error: string | null
  ms: number
  answer: string
}

export interface DeliveryRepository {
  add(delivery: DeliveryRecord): Promise<void>
  remove(_id: string): Promise<void>
  /** Newest first, those before the id. */
  page(endpoint: string, options: { before?: string | undefined; limit: number }): Promise<DeliveryRecord[]>
  /** Leaves the newest `keep` of an endpoint. */
  prune(endpoint: string, keep: number): Promise<void>
  removeOf(endpoint: string): Promise<void>
}

/** The part of `Storage` for webhooks. */
export interface WebhookStorage {
  readonly endpoints: EndpointRepository
  readonly retries: RetryRepository
  readonly deliveries: DeliveryRepository
}
