import type { JobHandler } from '../jobs/jobs.ts'
import { type EndpointRecord, type RetryRecord, TEST_EVENT } from '../storage/model/endpoints.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type AttemptsDeps, createAttempts, isTaken } from './attempts.ts'
import { type Chain, createEventWalk, isWanted } from './event-walk.ts'
import type { Outcome } from './post-event.ts'
import { retryNow } from './retry-now.ts'
import { pauseAfter } from './retry-schedule.ts'

export const WEBHOOK_KIND = 'webhook'
/** How many requests to one endpoint may be in flight at once. */
const POSTS_AT_ONCE = 8
/** How many events one step takes from the log. A node that dies repeats no more than these. */
const STEP = 32
/** How many of one conversation's events one read takes. */
const READ_MAX = 32
/**
 * An endpoint that accepts nothing and has this many retries is down. The log then waits, except for one event at a
 * time.
 */
const DOWN_RETRIES = 10
const DOWN_PAUSE_MS = 30_000
/** A run ends after this time, so that a node that lost its claim stops. */
const RUN_MS = 10_000
/** When the job looks again if nothing is due. New events are noticed sooner, see `createWebhooks`. */
const IDLE_MS = 60_000

/** Creates an endpoint's only job. */
export function webhookJob(endpointId: string, dueAt: number): NewJob {
  const key = `${WEBHOOK_KIND}:${endpointId}`
  return { key, kind: WEBHOOK_KIND, clientId: null, dueAt, data: null }
}

interface WebhookJobDeps extends AttemptsDeps {
  storage: Pick<Storage, 'endpoints' | 'retries' | 'deliveries' | 'events'>
}

/** A retry whose events were posted up to `to`. */
interface Over {
  retry: RetryRecord
  to: number
}

/**
 * Posts events to one endpoint, at least once, in order for each conversation. The job walks along the log of events
 * from the position in the endpoint's row. An event that is not accepted leaves a retry for its conversation, whose
 * later events wait, while other conversations' events continue. Two runs can be active at once, while one of them has
 * lost its claim.
 * @see docs/EVENTS-PROTOCOL.md
 */
export function createWebhookHandler(deps: WebhookJobDeps): JobHandler {
  const { storage, stop, now } = deps
  const { endpoints, retries } = storage
  const { postEvent, postTest } = createAttempts(deps)
  const walkAlong = createEventWalk(storage)

  /** Returns when an event is due again after a failed attempt, or null after ten. */
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

  /** Posts what a retry holds back, up to the endpoint's position. Resolves to null while some of it is left. */
  async function postRetry(endpoint: EndpointRecord, retry: RetryRecord): Promise<Over | null> {
    for (let to = retry.event - 1; ; ) {
      const records = await storage.events.afterOf(retry.subject, to, READ_MAX)
      const passed = records.filter(({ number }) => number <= endpoint.after)
      for (const record of passed) {
        if (endpoint.disabledBy !== null) return null
        if (isWanted(endpoint, record)) {
          const attempts = record.number === retry.event ? retry.attempts + 1 : 1
          const outcome = await postEvent(endpoint, record, attempts)
          const dueAt = isTaken(outcome) ? null : dueAfter(attempts, outcome)
          if (dueAt !== null) {
            await retries.settle(retry, { event: record.number, attempts, dueAt })
            return null
          }
        }
        to = record.number
      }
      if (passed.length < READ_MAX) return { retry, to }
    }
  }

  /**
   * Removes retries that are over, or keeps them for their subject's next event, which another run may have left to
   * them.
   */
  async function settle(over: readonly Over[]): Promise<void> {
    for (const { retry, to } of over) {
      const [next] = await storage.events.afterOf(retry.subject, to, 1)
      await retries.settle(retry, next ? { event: next.number, attempts: 0, dueAt: now() } : null)
    }
  }

  /**
   * Posts the retries that are due, then some of the log's events. Resolves to the time when the endpoint is due again.
   */
  async function step(endpoint: EndpointRecord): Promise<number> {
    const { _id, after, failingSince } = endpoint
    const isOn = endpoint.disabledBy === null
    const known = await retries.list(_id, { to: after, limit: DOWN_RETRIES + POSTS_AT_ONCE })
    const wasDown = failingSince !== null && known.length >= DOWN_RETRIES
    const isDue = ({ event, dueAt }: RetryRecord) =>
      dueAt <= now() && event <= after && (isOn || event === TEST_EVENT)
    const due = known.filter(isDue)
    // While the endpoint is down, a due retry shows as well as a new event whether the endpoint is back.
    const walks = isOn && !(wasDown && due.length > 0)
    const walk = walks
      ? await walkAlong(endpoint, after, Number.MAX_SAFE_INTEGER, wasDown ? 1 : STEP)
      : { chains: [], reached: after, hasMore: false, held: new Map<string, RetryRecord>() }
    const { chains, reached, hasMore, held } = walk
    // The walk may have left more events to these retries.
    const posted = due.map((retry) => held.get(retry.subject) ?? retry).filter(isDue)
    const over: Over[] = []
    const post = async (retry: RetryRecord) => {
      if (retry.event === TEST_EVENT) return postTest(endpoint, retry)
      const result = await postRetry(endpoint, retry)
      if (result !== null) over.push(result)
    }
    await inPool([
      ...chains.map((chain) => () => postChain(endpoint, chain)),
      ...posted.slice(0, POSTS_AT_ONCE).map((retry) => () => post(retry)),
    ])
    // An endpoint that was disabled in the meantime continues from here.
    if (endpoint.disabledBy !== null) return now()
    if (reached > after && !(await endpoints.update(_id, { after }, { after: reached }))) return now()
    await settle(over)
    const replays = await replayStep({ ...endpoint, after: reached })
    if (wasDown && endpoint.failingSince === null) {
      await retryNow(retries, _id, now, { failedMs: now() - failingSince, spreadMs: DOWN_PAUSE_MS })
    }
    const isDown = wasDown && endpoint.failingSince !== null
    const nextDue = async () => (await retries.list(_id, { to: reached, limit: 1 }))[0]?.dueAt
    if (isDown && (!walks || chains.length > 0)) {
      return Math.min(now() + DOWN_PAUSE_MS, (await nextDue()) ?? Infinity)
    }
    return hasMore || replays ? now() : ((await nextDue()) ?? now() + IDLE_MS)
  }

  /**
   * Runs one step of a replay, and returns whether the job should continue at once. The replay ends only if the
   * endpoint's version is unchanged, because another replay, even of the same events, makes a new version. Events that
   * the walk has not reached must wait for it, because it posts them for the first time, in order.
   */
  async function replayStep(endpoint: EndpointRecord): Promise<boolean> {
    const { _id, after, replayAfter, replayTo, version } = endpoint
    const to = Math.min(replayTo, after)
    if (replayTo === 0 || (to < replayTo && to <= replayAfter)) return false
    const { chains, reached, hasMore } = await walkAlong(endpoint, replayAfter, to, STEP)
    await inPool(chains.map((chain) => () => postChain(endpoint, chain)))
    if (endpoint.disabledBy !== null) return false
    const isAtEnd = !hasMore || reached >= to
    const isOver = isAtEnd && to === replayTo
    const next = isOver ? { replayAfter: 0, replayTo: 0 } : { replayAfter: isAtEnd ? to : reached }
    await endpoints.update(_id, { replayAfter, replayTo, version }, next)
    return true
  }
  return async ({ job }) => {
    const id = job.key.slice(WEBHOOK_KIND.length + 1)
    const from = performance.now()
    for (;;) {
      const endpoint = await endpoints.find(id)
      if (endpoint === null) return removeRows(storage, id)
      const dueAt = await step(endpoint).catch((error) => {
        if (stop.aborted) return now()
        throw error
      })
      // Enabling the endpoint, and a test, schedule the job again.
      const hasTest = async () => (await retries.list(id, { to: TEST_EVENT, limit: 1 })).length > 0
      if (endpoint.disabledBy !== null && !(await hasTest())) return null
      if (stop.aborted || dueAt > now() || performance.now() - from > RUN_MS) return { dueAt, data: null }
    }
  }
}

/** Removes a removed endpoint's rows. */
async function removeRows({ retries, deliveries }: WebhookJobDeps['storage'], id: string): Promise<null> {
  await retries.removeOf(id)
  await deliveries.removeOf(id)
  return null
}

/**
 * Runs the tasks in their order, some at once. After a failure, it starts no other task, and waits for the running
 * ones.
 */
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
  // Without this wait, the next run would post the same events beside the running tasks.
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
