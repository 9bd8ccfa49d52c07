import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** The query key of every list of published reviews. */
export const REVIEWS = ['reviews'] as const
/** The query key of the reviews that wait for approval. */
export const PENDING_REVIEWS = ['pending-reviews'] as const

const PENDING_REFETCH_MS = 60_000

/**
 * Reads the newest reviews that wait for approval, and how many wait in total. The menu and the page share one query.
 */
export function usePendingReviews() {
  return useQuery({
    queryKey: PENDING_REVIEWS,
    queryFn: ({ signal }) => callAsAdmin<ReviewList>(adminPaths.reviewsPending, { signal }),
    refetchInterval: PENDING_REFETCH_MS,
  })
}
