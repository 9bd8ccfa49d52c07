import type { RetryRepository } from '../storage/model/endpoints.ts'
import { scheduledMs } from './retry-schedule.ts'

const RETRIES_MAX = 100_000

interface Outage {
  /** How long the endpoint took nothing. */
  failedMs: number
  /** The retries are spread over this time, so that they do not flood the endpoint. */
  spreadMs: number
}

/**
 * Makes an endpoint's retries due, because events that failed before need not wait for their time. After an outage, a
 * retry still waits if its attempts take longer by the schedule than the outage lasted. An endpoint that limits requests
 * refuses some and takes others, again and again. Without this rule, it would use up an event's ten attempts within
 * seconds.
 */
export async function retryNow(
  retries: Pick<RetryRepository, 'find' | 'list' | 'settle'>,
  endpoint: string,
  now: () => number,
  { failedMs, spreadMs }: Outage = { failedMs: Infinity, spreadMs: 0 },
): Promise<void> {
  for (const found of await retries.list(endpoint, { limit: RETRIES_MAX })) {
    if (scheduledMs(found.attempts) > failedMs) continue
    // A running job may change the retry in the meantime.
    const dueAt = now() + Math.round(spreadMs * Math.random())
    for (let retry: typeof found | null = found; retry !== null && retry.dueAt > dueAt; ) {
      if (await retries.settle(retry, { ...retry, dueAt })) break
      retry = await retries.find(endpoint, retry.subject)
    }
  }
}
