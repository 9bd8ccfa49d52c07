import { AppError } from '@proctorpass/shared/errors'
import { QueryClient } from '@tanstack/react-query'

const FRESH_ON_FOCUS_MS = 20_000

/** The dashboard's server state. What the server plainly refuses (a 403 after its one refresh, too) is shown, not retried. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        refetchOnWindowFocus: (query) =>
          Date.now() - query.state.dataUpdatedAt > FRESH_ON_FOCUS_MS ? 'always' : false,
        retry: (failures, error) => failures < 3 && !(error instanceof AppError && !error.retryable),
        retryDelay: (failures, error) =>
          (error instanceof AppError && error.retryAfterMs) || Math.min(1000 * 2 ** failures, 30_000),
      },
    },
  })
}
