import { setTimeout as pause } from 'node:timers/promises'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type {
  Delivery,
  DeliveryPage,
  EndpointList,
  EndpointSecret,
} from '@proctorpass/shared/schemas/endpoint'
import type { Event, EventPage } from '@proctorpass/shared/schemas/event'
import { restOf } from '../../../web/src/chat/engine/testing/people.ts'
import { pauseAfter } from '../../src/events/retry-schedule.ts'
import { API_PREFIX, signInWhenReady, untilAnswered } from '../chat-client.ts'
import { type WebhookReceiver, webhookReceiver } from '../webhook-receiver.ts'
import type { Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'

const ANSWER_MS = 20_000
/**
 * The third attempt on a machine where two took longer than ten seconds, the lease of a job, and six seconds for each
 * refused event of one conversation. Later attempts get as long after the time when they are due.
 */
const WITHIN_MS = 600_000
/** Every so many events are refused at first. Each time its conversation waits for five seconds. */
const REFUSED_EVERY = 7
/** Missing events whose attempts are printed. */
const EXPLAINED_MAX = 10

/** A program that refuses some events at first, and takes them when they come again. */
export async function openReceiver() {
  return refusing(await webhookReceiver())
}

/** Makes the program behave so. */
export function refusing(
  receiver: Pick<WebhookReceiver, 'host' | 'url' | 'secrets' | 'refused' | 'answer' | 'close'>,
) {
  let endpointId = ''
  const refused = new Set<number>()
  /** In the order in which they were taken first. */
  const taken = new Map<number, Event>()
  let repeated = 0
  receiver.answer(({ body }, response) => {
    if (body.id % REFUSED_EVERY === 0 && !refused.has(body.id)) {
      refused.add(body.id)
      response.writeHead(503).end()
      return
    }
    if (taken.has(body.id)) repeated += 1
    else taken.set(body.id, body as Event)
    response.writeHead(204).end()
  })
  return {
    /** For WEBHOOK_HOSTS. */
    host: receiver.host,
    taken,
    refusedOnce: refused,
    /** Requests whose signature was wrong. */
    unsigned: () => receiver.refused(),
    repeated: () => repeated,
    close: receiver.close,

    /** Posted by `subscribe`. */
    endpointId: () => endpointId,

    /** Makes a server post all events here. */
    async subscribe(origin: string, accessToken: string): Promise<void> {
      const { request } = restOf(origin, accessToken)
      const body = { name: 'Receiver', url: receiver.url, types: [] }
      const { data, secret } = await untilAnswered(async () => {
        // A try that was answered with an error may have been stored, and its secret was not told.
        const { endpoints } = await request<EndpointList>(integrationPaths.endpoints)
        for (const { _id } of endpoints) await request(integrationPaths.endpoint(_id), { method: 'DELETE' })
        return request<EndpointSecret>(integrationPaths.endpoints, { method: 'POST', body })
      })
      endpointId = data._id
      receiver.secrets.push(secret)
    },
  }
}

type Receiver = Awaited<ReturnType<typeof openReceiver>>

/**
 * The events have no gap and match the store: one for each message and each entry, and no other, in their order. Each was
 * taken by the receiver, those of a conversation in order. Answers how many there are. `state`: where the delivery stands, for
 * events that are missing.
 */
export async function checkWebhooks(
  ledger: Ledger,
  origin: string,
  accessToken: string,
  receiver: Receiver,
  readBack: Awaited<ReturnType<typeof readByRest>>,
  state?: () => Promise<string>,
): Promise<number> {
  const events = await readEvents(origin, accessToken, 0)
  const findMissing = () => events.filter(({ id }) => !receiver.taken.has(id))
  let token = accessToken
  let until = performance.now() + WITHIN_MS
  while (findMissing().length > 0) {
    if (performance.now() >= until) {
      // The next attempt can be due after the session's token has expired.
      token = (await signInWhenReady(origin)).accessToken
      const dueAt = promisedAt(findMissing(), await readDeliveries(origin, token, receiver))
      if (dueAt + WITHIN_MS <= Date.now()) break
      until += WITHIN_MS
    }
    // On MongoDB the last ones are numbered a moment later.
    await pause(500)
    // Reading all of them again would slow down the events that the test waits for.
    events.push(...(await readEvents(origin, token, events.at(-1)?.id ?? 0)))
  }
  if (events.some(({ id }, index) => id !== index + 1)) {
    ledger.violation(`the events have the numbers ${events.map(({ id }) => id)}`)
  }
  checkAgainstStore(ledger, events, readBack)
  checkOrder(ledger, events)

  const missing = findMissing()
  if (missing.length > 0) {
    ledger.violation(`${missing.length} events never reached the receiver`)
    explain(missing.slice(0, EXPLAINED_MAX), await readDeliveries(origin, token, receiver), receiver)
    console.log(`Taken: ${[...receiver.taken.keys()].toSorted((a, b) => a - b)}`)
    if (state !== undefined) console.log(await state())
  }
  if (receiver.unsigned() > 0) ledger.violation(`${receiver.unsigned()} webhooks had a wrong signature`)
  const newest = new Map<string, number>()
  for (const { id, data } of receiver.taken.values()) {
    const { clientId } = data
    if (clientId === undefined) continue
    const before = newest.get(clientId) ?? 0
    if (id < before) ledger.violation(`the receiver had event ${before} of ${clientId} before ${id}`)
    newest.set(clientId, Math.max(before, id))
  }
  return events.length
}

/** The requests that the server has kept, the newest first. */
async function readDeliveries(origin: string, token: string, receiver: Receiver): Promise<Delivery[]> {
  const path = integrationPaths.endpointDeliveries(receiver.endpointId())
  const deliveries: Delivery[] = []
  for (let query: string | null = ''; query !== null; ) {
    const page: DeliveryPage = await get(origin + API_PREFIX + path + query, token)
    deliveries.push(...page.deliveries)
    query = page.next && `?cursor=${page.next}`
  }
  return deliveries
}

/** When the last attempt was, or when the next one at a missing event is due by the product's schedule, the later of both. */
function promisedAt(missing: readonly Event[], deliveries: readonly Delivery[]): number {
  const ids = new Set(missing.map(({ id }) => id))
  const times = deliveries.map(({ event, attempt, at, ms }) => {
    const pauseMs = ids.has(event) ? pauseAfter(attempt, null, () => 1) : null
    return Date.parse(at) + ms + (pauseMs ?? 0)
  })
  return Math.max(0, ...times)
}

/** Prints the attempts at each event. */
function explain(missing: readonly Event[], deliveries: readonly Delivery[], receiver: Receiver): void {
  for (const { id, type, at, data } of missing) {
    console.log(`event ${id}, ${type} of ${data.clientId} at ${at}, refused: ${receiver.refusedOnce.has(id)}`)
    for (const { event, attempt, at: attemptAt, ms, error } of deliveries) {
      if (event === id) console.log(`  attempt ${attempt} at ${attemptAt}: ${error} after ${ms} ms`)
    }
  }
}

/** Those of a conversation have their numbers in the order of its messages, and of its entries. */
function checkOrder(ledger: Ledger, events: readonly Event[]): void {
  const newest = new Map<string, number>()
  for (const { id, type, data } of events) {
    for (const field of ['seq', 'n'] as const) {
      const value = data[field]
      // A correction tells of a message again.
      if (value === undefined || (field === 'seq' && type === 'message.edited')) continue
      const key = `${field} of ${data.clientId}`
      const before = newest.get(key) ?? 0
      if (value <= before) ledger.violation(`event ${id} tells of ${value} behind ${before}, ${key}`)
      newest.set(key, value)
    }
  }
}

function checkAgainstStore(
  ledger: Ledger,
  events: readonly Event[],
  { conversations, logs }: Awaited<ReturnType<typeof readByRest>>,
): void {
  const told = new Map<string, string[]>()
  const tell = (key: string, what: string) => told.set(key, [...(told.get(key) ?? []), what])
  for (const { type, data } of events) {
    const { clientId, seq, n, by, text } = data
    if (type === 'message.created' && seq !== undefined) tell(`${clientId} message ${seq}`, text ?? '')
    if (type === 'conversation.created' && by !== undefined) tell(`${clientId} created`, 'created')
    if (n !== undefined) tell(`${clientId} entry ${n}`, type)
  }
  const expected = (key: string, wanted: (what: string) => boolean) => {
    const found = told.get(key) ?? []
    told.delete(key)
    if (found.length !== 1 || !found.every(wanted)) {
      ledger.violation(`${key} has ${found.length} events: ${found.slice(0, 3)}`)
    }
  }
  for (const [clientId, { messages }] of conversations) {
    if (messages.length > 0) expected(`${clientId} created`, () => true)
    for (const { seq, message } of messages) {
      expected(`${clientId} message ${seq}`, (what) => what === message)
    }
  }
  for (const [clientId, log] of logs) {
    for (const { n, kind } of log) {
      const type = TYPES[kind]
      if (type !== undefined) expected(`${clientId} entry ${n}`, (what) => what === type)
    }
  }
  // Messages that were written since the read back.
  const others = [...told.keys()].filter((key) => conversations.has(key.split(' ')[0] ?? ''))
  for (const key of others) ledger.violation(`an event tells of ${key}, which is not stored`)
}

const TYPES: Record<string, string> = {
  edit: 'message.edited',
  ...{ status: 'conversation.changed', assignee: 'conversation.changed', labels: 'conversation.changed' },
  ...{ note: 'note.created', rating: 'rating.created' },
}

async function readEvents(origin: string, accessToken: string, behind: number): Promise<Event[]> {
  const events: Event[] = []
  for (let after = behind; ; ) {
    const path = `${integrationPaths.events}?after=${after}&limit=1000`
    const page = await get<EventPage>(origin + API_PREFIX + path, accessToken)
    events.push(...page.events)
    if (!page.more) return events
    after = page.next
  }
}

function get<Answer>(url: string, accessToken: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return untilAnswered(async () => {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}.`)
    return (await answer.json()) as Answer
  })
}
