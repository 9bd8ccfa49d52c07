import type { RetryRepository } from '../storage/model/endpoints.ts'

const RETRIES_MAX = 100_000

/** Makes all retries of an endpoint due: what failed before need not wait for its time. */
export async function retryNow(
  retries: Pick<RetryRepository, 'find' | 'list' | 'settle'>,
  endpoint: string,
  now: () => number,
): Promise<void> {
  for (const found of await retries.list(endpoint, { limit: RETRIES_MAX })) {
    // A run may change it meanwhile.
    for (let retry: typeof found | null = found; retry !== null && retry.dueAt > now(); ) {
      if (await retries.settle(retry, { ...retry, dueAt: now() })) break
      retry = await retries.find(endpoint, retry.subject)
    }
  }
}
