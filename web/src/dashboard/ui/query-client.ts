import { AppError } from '@proctorpass/shared/errors'
import { QueryCache, QueryClient } from '@tanstack/react-query'

/** Newer data is not refetched when the tab gets the focus. */
export const FRESH_ON_FOCUS_MS = 20_000

/** The server's error code. It is also the navigation state with which its admin is led to Account. */
export const FACTOR_REQUIRED = 'factor-required'

/** Returns whether a retry is useless, because the server refused the call even with a fresh token. */
export function isRefused(error: unknown): boolean {
  return error instanceof AppError && !error.retryable
}

class DashboardQueryClient extends QueryClient {
  /**
   * This also restarts a first read that is in progress, because its answer may be older and the library would take it.
   */
  override async invalidateQueries(
    ...[filters, options]: Parameters<QueryClient['invalidateQueries']>
  ): Promise<void> {
    const firstReads = this.getQueryCache()
      .findAll(filters)
      .filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching')
    if (firstReads.length > 0) await Promise.allSettled(firstReads.map((query) => query.promise))
    await super.invalidateQueries(filters, options)
  }
}

/** Creates the cache for the dashboard's server state. Refusals are shown, not retried. */
export function createQueryClient(onFactorRequired = () => {}): QueryClient {
  return new DashboardQueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (error instanceof AppError && error.code === FACTOR_REQUIRED) onFactorRequired()
      },
    }),
    defaultOptions: {
      queries: {
        refetchOnWindowFocus: (query) =>
          Date.now() - query.state.dataUpdatedAt > FRESH_ON_FOCUS_MS ? 'always' : false,
        retry: (failures, error) => failures < 3 && !isRefused(error),
        retryDelay: (failures, error) =>
          (error instanceof AppError && error.retryAfterMs) || Math.min(1000 * 2 ** failures, 30_000),
      },
    },
  })
}
