import { useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import { filterOf, type ListFilter, searchOf } from './filters.ts'

/** The filter in the address, so that back and reload keep it; and its change, a step of the history. */
export function useListFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => filterOf(params), [params])
  return [filter, (change) => setParams(new URLSearchParams(searchOf({ ...filter, ...change })))]
}
