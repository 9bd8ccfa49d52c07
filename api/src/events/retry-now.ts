import type { RetryRepository } from '../storage/model/endpoints.ts'

const RETRIES_MAX = 100_000

/** Makes all of an endpoint's retries due, because events that failed before need not wait for their time. */
export async function retryNow(
  retries: Pick<RetryRepository, 'find' | 'list' | 'settle'>,
  endpoint: string,
  now: () => number,
): Promise<void> {
  for (const found of await retries.list(endpoint, { limit: RETRIES_MAX })) {
    // A running job may change the retry in the meantime.
    for (let retry: typeof found | null = found; retry !== null && retry.dueAt > now(); ) {
      if (await retries.settle(retry, { ...retry, dueAt: now() })) break
      retry = await retries.find(endpoint, retry.subject)
    }
  }
}
