import { keepPreviousData, type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import { Pager, pageHref } from '../../components/pager.tsx'
import { callAsAdmin } from '../../lib/session.ts'
import { EmptyState } from './empty-state.tsx'
import { LoadFailed, Loading } from './loading.tsx'

interface ListAnswer {
  count: number
  message?: string
}

/** A part of a list: the query by which the API knows it, and the query in the page's address, which is empty for all. */
export interface ListFilter {
  api: string
  address: string
}

interface ListPage<T extends ListAnswer> {
  page: number
  perPage: number
  filter: ListFilter | undefined
  query: UseQueryResult<T>
}

/** Reads the list's page that the address names. The previous page stays until the next one is loaded. */
export function usePagedList<T extends ListAnswer>(
  list: QueryKey,
  path: string,
  perPage: number,
  filter?: ListFilter,
): ListPage<T> {
  const { search } = useLocation()
  const page = Math.max(1, Math.trunc(Number(new URLSearchParams(search).get('page'))) || 1)
  const query = useQuery({
    queryKey: filter ? [...list, filter.api, page] : [...list, page],
    queryFn: ({ signal }) => {
      const part = filter ? `&${filter.api}` : ''
      return callAsAdmin<T>(`${path}?page=${page}&perPage=${perPage}${part}`, { signal })
    },
    placeholderData: keepPreviousData,
  })
  return { page, perPage, filter, query }
}

interface PagedListProps<T extends ListAnswer> {
  label: string
  list: ListPage<T>
  /** What the admin can do next, below an empty list's message. */
  whenEmpty?: ReactNode
  children: (data: T) => ReactNode
}

/** Shows a pager and the items, the server's message, or an error with a retry button. */
export function PagedList<T extends ListAnswer>({ label, list, whenEmpty, children }: PagedListProps<T>) {
  const { page, perPage, filter, query } = list
  const { data, error, isPending, isPlaceholderData, refetch } = query
  const { pathname } = useLocation()
  const path = filter?.address ? `${pathname}?${filter.address}` : pathname
  const last = Math.max(1, Math.ceil((data?.count ?? 0) / perPage))
  // The last page's last item was deleted.
  if (data && !isPlaceholderData && data.count > 0 && page > last) {
    return <Navigate to={pageHref(path, last)} replace />
  }
  return (
    <>
      {data && <Pager label={label} path={path} page={page} count={data.count} perPage={perPage} />}
      {(isPending || isPlaceholderData) && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data?.message !== undefined && <EmptyState message={data.message}>{whenEmpty}</EmptyState>}
      {data && data.message === undefined && <div aria-busy={isPlaceholderData}>{children(data)}</div>}
    </>
  )
}
