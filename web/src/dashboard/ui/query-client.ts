import { AppError } from '@proctorpass/shared/errors'
import { QueryCache, QueryClient } from '@tanstack/react-query'

/** Younger data is not refetched when the tab gets the focus. */
export const FRESH_ON_FOCUS_MS = 20_000

/** The code of the server, and the state with which its admin is led to Account. */
export const FACTOR_REQUIRED = 'factor-required'

/** Whether a retry is useless: the server refused, also with a fresh token. */
export function isRefused(error: unknown): boolean {
  return error instanceof AppError && !error.retryable
}

class DashboardQueryClient extends QueryClient {
  /** Also restarts a first read that is under way: its answer may be older, and the library would take it. */
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

/** The dashboard's server state. Refusals are shown, not retried. */
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
