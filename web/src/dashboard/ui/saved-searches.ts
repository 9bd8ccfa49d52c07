import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { SavedSearch, SavedSearchList } from '@proctorpass/shared/schemas/search'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

export const SAVED_SEARCHES = ['saved-searches'] as const

const REFETCH_MS = 60_000

/** Reads the admin's saved searches with their counts. The menu and the search page share one query. */
export function useSavedSearches() {
  return useQuery({
    queryKey: SAVED_SEARCHES,
    queryFn: ({ signal }) => callAsAdmin<SavedSearchList>(adminPaths.savedSearches, { signal }),
    refetchInterval: REFETCH_MS,
  })
}

/** Returns the saved search with these parameters, in any order. */
export function savedAs(
  searches: readonly SavedSearch[],
  search: URLSearchParams | null,
): SavedSearch | undefined {
  if (search === null) return undefined
  const wanted = inOrder(search)
  return searches.find(({ query }) => inOrder(new URLSearchParams(query)) === wanted)
}

function inOrder(search: URLSearchParams): string {
  const sorted = new URLSearchParams(search)
  sorted.sort()
  return String(sorted)
}
