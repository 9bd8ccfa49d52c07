import { isDeepStrictEqual } from 'node:util'
import { auditEntry } from '../audit/entry.ts'
import { withEntry } from '../storage/model/audit.ts'
import { deliveryId, type EndpointRecord, type RetryRecord } from '../storage/model/endpoints.ts'
import type { EventRecord } from '../storage/model/events.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Events } from './events.ts'
import type { Outcome, PostEvent } from './post-event.ts'

const FAILURES_END_MS = 5 * 24 * 60 * 60 * 1_000
const DELIVERIES_KEPT = 1_000
const PRUNE_EVERY = 200

interface AttemptsLog {
  warn(context: object, message: string): void
}

export interface AttemptsDeps {
  storage: Pick<Storage, 'endpoints' | 'retries' | 'deliveries'>
  events: Pick<Events, 'toEvent'>
  post: PostEvent
  /** Notifies admins that an endpoint was disabled after five days. */
  notifyDisabled: (endpoint: EndpointRecord, since: number) => Promise<void>
  log: AttemptsLog
  /** Aborted when the process stops. Another node then posts the unfinished events again. */
  stop: AbortSignal
  now: () => number
}

/** Makes single requests. Each adds a delivery, and changes its endpoint's state, also in the given row. */
export function createAttempts(deps: AttemptsDeps) {
  const { storage, events, post, notifyDisabled, log, stop, now } = deps
  const { endpoints, retries, deliveries } = storage
  /**
   * How many deliveries each endpoint has made since old ones were last removed. Without an entry, old ones are removed
   * at once.
   */
  const sincePrune = new Map<string, number>()

  async function note(
    endpoint: EndpointRecord,
    about: Pick<EventRecord, 'clientId'> & { event: number; type: EventRecord['type'] | 'test' },
    { attempt, at, ms, outcome }: { attempt: number; at: number; ms: number; outcome: Outcome },
  ): Promise<string> {
    const { status, error, answer } = outcome
    const row = { ...about, at, attempt, status, error, ms, answer }
    const _id = deliveryId(at)
    await deliveries.add({ ...row, _id, endpoint: endpoint._id })
    const count = (sincePrune.get(endpoint._id) ?? PRUNE_EVERY) + 1
    sincePrune.set(endpoint._id, count > PRUNE_EVERY ? 0 : count)
    if (count > PRUNE_EVERY) await deliveries.prune(endpoint._id, DELIVERIES_KEPT)
    return _id
  }

  /** Posts one event. `attempt` is 1 for the first. */
  async function postEvent(endpoint: EndpointRecord, record: EventRecord, attempt: number): Promise<Outcome> {
    const body = await events.toEvent(record, { notes: endpoint.notes })
    const at = now()
    const from = performance.now()
    const outcome = await post(endpoint, { id: `evt_${record.number}`, body }, stop)
    const ms = Math.round(performance.now() - from)
    const { number: event, type, clientId } = record
    const noted = await note(endpoint, { event, type, clientId }, { attempt, at, ms, outcome })
    // An answer can repeat the event, so erasing a conversation removes the answer. Here, the conversation was erased
    // during the request.
    if (outcome.answer !== '' && !isDeepStrictEqual(await events.toEvent(record, endpoint), body)) {
      await deliveries.remove(noted)
    }
    if (isTaken(outcome)) await succeeded(endpoint)
    else await failed(endpoint, outcome)
    return outcome
  }

  async function succeeded(endpoint: EndpointRecord): Promise<void> {
    if (endpoint.failingSince === null) return
    endpoint.failingSince = null
    await endpoints.update(endpoint._id, {}, { failingSince: null })
  }

  async function failed(endpoint: EndpointRecord, { status, error }: Outcome): Promise<void> {
    const { _id } = endpoint
    // The time is read now, because a success in another request removes it from the row.
    const since = endpoint.failingSince ?? now()
    if (endpoint.failingSince === null) {
      endpoint.failingSince = since
      await endpoints.update(_id, { failingSince: null }, { failingSince: since })
      // The URL's other parts are often a secret.
      log.warn({ endpointId: _id, host: URL.parse(endpoint.url)?.host, status, error }, 'webhook failed')
    }
    if (status === 410) await disable(endpoint, 'gone', since)
    else if (now() - since >= FAILURES_END_MS) await disable(endpoint, 'failures', since)
  }

  async function disable(
    endpoint: EndpointRecord,
    disabledBy: 'gone' | 'failures',
    since: number,
  ): Promise<void> {
    const { _id, name } = endpoint
    endpoint.disabledBy = disabledBy
    const entry = auditEntry(null, 'endpoint.changed', { target: _id, details: { name, disabledBy } })
    // The mail comes first. A process that dies in between mails once more, or for an endpoint that is disabled a
    // moment later.
    if (disabledBy === 'failures') await notifyDisabled(endpoint, since)
    await withEntry(entry, () => endpoints.update(_id, { disabledBy: null }, { disabledBy }))
    log.warn({ endpointId: _id, disabledBy }, 'webhook disabled')
  }

  /** Posts a test once. A failure says nothing about the endpoint. */
  async function postTest(endpoint: EndpointRecord, retry: RetryRecord): Promise<void> {
    const at = now()
    const from = performance.now()
    const body = { id: 0, type: 'test', at: new Date(at).toISOString(), data: {} }
    const id = `evt_${retry.subject.replace(' ', '_')}`
    const outcome = await post(endpoint, { id, body }, stop)
    const ms = Math.round(performance.now() - from)
    await note(endpoint, { event: 0, type: 'test', clientId: null }, { attempt: 1, at, ms, outcome })
    if (isTaken(outcome) && endpoint.disabledBy === null) await succeeded(endpoint)
    await retries.settle(retry, null)
  }

  return { postEvent, postTest }
}

export function isTaken({ status }: Outcome): boolean {
  return status !== null && status >= 200 && status < 300
}
