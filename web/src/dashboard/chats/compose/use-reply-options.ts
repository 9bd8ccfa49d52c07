import { useMemo } from 'react'
import { matching, searchable, useReplies } from '../../ui/replies.ts'

/** Typing finds further replies faster than scrolling. */
const SHOWN_MAX = 50

export type ReplyOptions = ReturnType<typeof useReplyOptions>

/** Finds the canned replies that match the query, best first. Null loads nothing. */
export function useReplyOptions(query: string | null) {
  const { data, error, refetch } = useReplies({ enabled: query !== null })
  const all = useMemo(() => searchable(data?.replies ?? []), [data])
  const found = useMemo(() => (query === null ? [] : matching(all, query)), [all, query])
  return {
    found,
    shown: found.slice(0, SHOWN_MAX),
    isLoading: data === undefined && error === null,
    error,
    retry: () => void refetch(),
    /** Whether the store has no canned replies. */
    isEmpty: data?.count === 0,
  }
}
