import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import { useMemo, useState } from 'react'
import { matching, searchable, useReplies } from '../../ui/replies.ts'

/** More would be found faster by typing. */
const SHOWN_MAX = 50

export type ReplyOptions = ReturnType<typeof useReplyOptions>

/** The canned replies that match the query, the best first, and the active one; null loads nothing. */
export function useReplyOptions(query: string | null) {
  const { data, error, refetch } = useReplies({ enabled: query !== null })
  const all = useMemo(() => searchable(data?.replies ?? []), [data])
  const found = useMemo(() => (query === null ? [] : matching(all, query)), [all, query])
  const shown = found.slice(0, SHOWN_MAX)
  // Another query begins with its best match.
  const [place, setPlace] = useState({ query, index: 0 })
  const index = place.query === query ? Math.min(place.index, shown.length - 1) : 0
  const active: CannedReply | undefined = shown[index]
  return {
    found,
    shown,
    active,
    isLoading: data === undefined && error === null,
    error,
    retry: () => void refetch(),
    /** The store has none. */
    isEmpty: data?.count === 0,
    activeId: (listId: string) => (active === undefined ? undefined : `${listId}-${active._id}`),
    /** Past either end, from the other one. */
    move(by: 1 | -1) {
      if (shown.length > 0) setPlace({ query, index: (index + by + shown.length) % shown.length })
    },
  }
}
