import type { JobHandler } from '../jobs/jobs.ts'
import type { EndpointRecord, RetryRecord } from '../storage/port/endpoints.ts'
import type { EventRecord } from '../storage/port/events.ts'
import type { NewJob } from '../storage/port/jobs.ts'
import type { Storage } from '../storage/port/storage.ts'
import { type AttemptsDeps, createAttempts, isTaken } from './attempts.ts'
import type { Outcome } from './post-event.ts'
import { pauseAfter } from './retry-schedule.ts'

export const WEBHOOK_KIND = 'webhook'
/** Requests to one endpoint under way. */
const POSTS_AT_ONCE = 8
/** Events that one step takes from the log: a node that dies repeats no more. */
const STEP = 32
/** Events of one conversation that one read takes. */
const READ_MAX = 32
/** An endpoint that takes nothing, with this many retries, is down: then the log waits, except for one event at a time. */
const DOWN_RETRIES = 10
const DOWN_PAUSE_MS = 30_000
/** A run ends then, so that a node that lost its claim stops. */
const RUN_MS = 10_000
/** Without anything due: new events are noticed sooner, see `createWebhooks`. */
const IDLE_MS = 60_000
const IDLE_MIN_MS = 1_000
const RETRIES_MAX = 100_000

/** The one job of an endpoint. */
export function webhookJob(endpointId: string, dueAt: number): NewJob {
  const key = `${WEBHOOK_KIND}:${endpointId}`
  return { key, kind: WEBHOOK_KIND, clientId: null, dueAt, data: null }
}

interface DeliveryDeps extends AttemptsDeps {
  storage: Pick<Storage, 'endpoints' | 'retries' | 'deliveries' | 'events'>
}

/** Everything of one conversation in one step, in order. */
interface Chain {
  subject: string
  events: EventRecord[]
}

/** Events from `event` on are left to a retry. */
interface Held {
  event: number
  retry: RetryRecord
}

/** `reached`: the id up to which each event was posted or has a retry. `waiting`: by subject. */
interface Walked {
  reached: number
  hasMore: boolean
  waiting: Map<string, Held>
}

/**
 * Posts events to one endpoint, at least once, in order for each conversation. The job walks along the log of events from
 * the position in the endpoint's row. An event that is not taken leaves a retry for its conversation, whose later events
 * wait, while those of others go on.
 * @see docs/decisions/0069-webhooks.md
 */
export function createDelivery(deps: DeliveryDeps): JobHandler {
  const { storage, stop, now } = deps
  const { endpoints, retries } = storage
  const { postEvent, postTest } = createAttempts(deps)
  /** The retry that a failed attempt leaves; null: there were ten. */
  function dueAfter(attempts: number, { pauseMs }: Outcome): number | null {
    const pause = pauseAfter(attempts, pauseMs)
    return pause === null ? null : now() + pause
  }

  async function postChain(endpoint: EndpointRecord, { subject, events: chain }: Chain): Promise<void> {
    for (const record of chain) {
      if (endpoint.disabledBy !== null) return
      const outcome = await postEvent(endpoint, record, 1)
      if (isTaken(outcome)) continue
      const dueAt = dueAfter(1, outcome) ?? now()
      await retries.put({ endpoint: endpoint._id, subject, event: record.number, attempts: 1, dueAt })
      return
    }
  }

  /** The events from `after` to `to`, as chains of those that no retry holds back. */
  async function chainsOf(endpoint: EndpointRecord, after: number, to: number, limit: number) {
    const records = await storage.events.after(after, limit)
    const inRange = records.filter(({ number }) => number <= to)
    const bySubject = new Map<string, EventRecord[]>()
    for (const record of inRange) {
      if (!isWanted(endpoint, record)) continue
      const subject = subjectOf(record)
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), record])
    }
    const chains: Chain[] = []
    const waiting: Walked['waiting'] = new Map()
    for (const [subject, found] of bySubject) {
      const held = await hold(endpoint._id, subject, found)
      // A replay posts the events before the retry, which goes on from there.
      const before = held === null ? found : found.filter(({ number }) => number < held.event)
      if (before.length > 0) chains.push({ subject, events: before })
      if (held !== null) waiting.set(subject, held)
    }
    const walked = { reached: inRange.at(-1)?.number ?? after, hasMore: inRange.length === limit, waiting }
    return { chains, walked }
  }

  /** Leaves events to the retry of their subject. Null without one, or when it is for later events. */
  async function hold(_id: string, subject: string, found: EventRecord[]): Promise<Held | null> {
    for (;;) {
      const retry = await retries.find(_id, subject)
      const first = retry && found.find(({ number }) => number >= retry.event)
      if (!retry || !first) return null
      // Changes it: another run, which has lost its claim and knows an older position, must not remove it any more.
      const changed = { ...retry, dueAt: retry.dueAt + 1 }
      if (await retries.settle(retry, changed)) return { event: first.number, retry: changed }
    }
  }

  /** Of one subject, those behind `after` that the walk has passed. */
  async function* passed(endpoint: EndpointRecord, subject: string, after: number) {
    for (let from = after; ; ) {
      const records = await storage.events.afterOf(subject, from, READ_MAX)
      const last = records.at(-1)
      yield* records.filter((record) => record.number <= endpoint.after && isWanted(endpoint, record))
      if (last === undefined || last.number >= endpoint.after) return
      from = last.number
    }
  }

  /** Posts what a retry holds back, up to the position of the endpoint. True when all of it is over. */
  async function postRetry(endpoint: EndpointRecord, retry: RetryRecord): Promise<boolean> {
    for await (const record of passed(endpoint, retry.subject, retry.event - 1)) {
      if (endpoint.disabledBy !== null) return false
      const attempt = record.number === retry.event ? retry.attempts + 1 : 1
      const outcome = await postEvent(endpoint, record, attempt)
      const dueAt = isTaken(outcome) ? null : dueAfter(attempt, outcome)
      if (dueAt === null) continue
      await retries.put({ ...retry, event: record.number, attempts: attempt, dueAt })
      return false
    }
    return true
  }

  /**
   * Posts the retries that are due, then some events of the log. Resolves to the time when the endpoint is due again.
   * `known`: its earliest retries, read before the endpoint.
   */
  async function step(endpoint: EndpointRecord, known: readonly RetryRecord[]): Promise<number> {
    const { _id, after } = endpoint
    const isOn = endpoint.disabledBy === null
    const wasDown = endpoint.failingSince !== null && known.length >= DOWN_RETRIES
    // One for a later event is left by a run that did not move the position: the walk comes to it.
    const due = known.filter(({ dueAt, event }) => dueAt <= now() && event <= after && (isOn || event === 0))
    const over: RetryRecord[] = []
    const retry = async (row: RetryRecord) => {
      if (row.event === 0) await postTest(endpoint, row)
      else if (await postRetry(endpoint, row)) over.push(row)
    }
    // While it is down, a retry that is due shows as well whether it is back.
    const walks = isOn && !(wasDown && due.length > 0)
    const walk = walks
      ? await chainsOf(endpoint, after, Number.MAX_SAFE_INTEGER, wasDown ? 1 : STEP)
      : { chains: [], walked: { reached: after, hasMore: false, waiting: new Map<string, Held>() } }
    await inPool([
      ...walk.chains.map((chain) => () => postChain(endpoint, chain)),
      ...due.slice(0, POSTS_AT_ONCE).map((row) => () => retry(row)),
    ])
    // An endpoint that was disabled meanwhile goes on from here.
    if (endpoint.disabledBy !== null) return now()
    for (const retry of over) {
      const held = walk.walked.waiting.get(retry.subject)
      if (held === undefined) await retries.settle(retry, null)
      else await retries.settle(held.retry, { event: held.event, attempts: 0, dueAt: now() })
    }
    const { reached, hasMore } = walk.walked
    if (reached > after && !(await endpoints.update(_id, { after }, { after: reached }))) return now()
    const replays = await replayStep({ ...endpoint, after: reached })
    if (wasDown && endpoint.failingSince === null) await retryNow(_id)
    const isDown = wasDown && endpoint.failingSince !== null
    if (isDown && (!walks || walk.chains.length > 0)) {
      return Math.min(now() + DOWN_PAUSE_MS, (await nextDue(_id)) ?? Infinity)
    }
    if (hasMore || replays) return now()
    const next = (await nextDue(_id)) ?? now() + IDLE_MS
    // A retry can be due for an event that was removed for its age, and is over when the walk passes its number.
    const isIdle = due.length === 0 && reached === after
    return isIdle ? Math.max(next, now() + IDLE_MIN_MS) : next
  }

  /** Whether a replay is still under way. */
  async function replayStep(endpoint: EndpointRecord): Promise<boolean> {
    const { _id, replayAfter, replayTo } = endpoint
    if (replayTo === 0) return false
    const { chains, walked } = await chainsOf(endpoint, replayAfter, replayTo, STEP)
    await inPool(chains.map((chain) => () => postChain(endpoint, chain)))
    if (endpoint.disabledBy !== null) return false
    const isOver = !walked.hasMore || walked.reached >= replayTo
    const next = isOver ? { replayAfter: 0, replayTo: 0 } : { replayAfter: walked.reached }
    await endpoints.update(_id, { replayAfter, replayTo }, next)
    return true
  }

  async function nextDue(_id: string): Promise<number | null> {
    const [earliest] = await retries.list(_id, 1)
    return earliest?.dueAt ?? null
  }

  /** It takes events again: what failed meanwhile need not wait for its time. */
  async function retryNow(_id: string): Promise<void> {
    for (const row of await retries.list(_id, RETRIES_MAX)) {
      if (row.dueAt > now()) await retries.put({ ...row, dueAt: now() })
    }
  }

  return async ({ job }) => {
    const id = job.key.slice(WEBHOOK_KIND.length + 1)
    const from = performance.now()
    for (;;) {
      // Before the endpoint: with an old position and newer retries, a run would remove a retry whose later events, left to
      // it by another run, were never posted. With older retries, the removal finds that they have changed.
      const known = await retries.list(id, DOWN_RETRIES + POSTS_AT_ONCE)
      const endpoint = await endpoints.find(id)
      if (endpoint === null) return removeRows(storage, id)
      const dueAt = await step(endpoint, known).catch((error) => {
        if (stop.aborted) return now()
        throw error
      })
      // Enabling it, and a test, schedule it again.
      if (endpoint.disabledBy !== null && (await retries.list(id, 1))[0]?.event !== 0) return null
      if (stop.aborted || dueAt > now() || performance.now() - from > RUN_MS) return { dueAt, data: null }
    }
  }
}

/** Of an endpoint that was removed. */
async function removeRows({ retries, deliveries }: DeliveryDeps['storage'], id: string): Promise<null> {
  await retries.removeOf(id)
  await deliveries.removeOf(id)
  return null
}

function isWanted({ types }: EndpointRecord, { type }: EventRecord): boolean {
  return types.length === 0 || types.includes(type)
}

/** What events must stay in order for: their conversation. */
function subjectOf({ clientId, _id }: EventRecord): string {
  return clientId ?? _id
}

/** Runs the tasks in their order, some at once. After a failure it begins no other, and waits for those under way. */
async function inPool(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...tasks]
  const work = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task()
  }
  const workers = Array.from({ length: POSTS_AT_ONCE }, () =>
    work().finally(() => {
      left.length = 0
    }),
  )
  // Else the next run would post the same events beside them.
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
