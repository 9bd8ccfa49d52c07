import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { filterOf, type ListFilter, searchOf } from '../live/filters.ts'

/** The filter in the address, so that back and reload keep it; and its change, a step of the history. */
export function useListFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => filterOf(params), [params])
  // Shown at once: the next change begins with this one.
  const change = (values: Partial<ListFilter>) =>
    setParams(new URLSearchParams(searchOf({ ...filter, ...values })), { flushSync: true })
  return [filter, change]
}
