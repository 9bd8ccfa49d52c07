import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

const REFRESH_WHILE_INDEXING_MS = 5_000

export type SearchResults = ReturnType<typeof useSearch>

/** Searches. `search` has the words and the filters, and is null while it is not known or empty. */
export function useSearch(search: URLSearchParams | null) {
  const query = useInfiniteQuery({
    queryKey: ['search', String(search)],
    queryFn: ({ pageParam, signal }) => {
      const parameters = new URLSearchParams(search ?? '')
      if (pageParam !== null) parameters.set('cursor', pageParam)
      return callAsAdmin<SearchPage>(`${adminPaths.search}?${parameters}`, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled: search !== null,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ indexing }) => indexing) ? REFRESH_WHILE_INDEXING_MS : false,
  })
  const { data, error, isPending, isPlaceholderData, isFetchingNextPage, hasNextPage } = query
  return {
    hits: data?.pages.flatMap(({ hits }) => hits) ?? [],
    indexing: data?.pages.some(({ indexing }) => indexing) ?? false,
    error,
    /** Whether the server has not answered this query yet. Until then, the hits are the previous query's. */
    isSearching: (isPending || isPlaceholderData) && error === null,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage && !isPlaceholderData,
    loadMore(): void {
      if (!isFetchingNextPage) void query.fetchNextPage()
    },
    retry: (): void => void query.refetch(),
  }
}
