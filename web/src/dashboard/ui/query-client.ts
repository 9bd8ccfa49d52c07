import { AppError } from '@proctorpass/shared/errors'
import { QueryClient } from '@tanstack/react-query'

/** What is younger is not read again because somebody came back to the tab. */
export const FRESH_ON_FOCUS_MS = 20_000

/** Asking again cannot help: the server plainly said no, a fresh token included. */
export function isRefused(error: unknown): boolean {
  return error instanceof AppError && !error.retryable
}

/** The dashboard's server state. What is refused is shown, not retried. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
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
