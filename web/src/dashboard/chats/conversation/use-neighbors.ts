import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { conversationsQuery, inOrder, keepPlace, nextWaiting } from '../live/conversations.ts'
import { orderOf, searchOf, useListFilter } from '../live/filters.ts'

/** The addresses of the conversations around an open one, in the list that it was opened from. */
export interface Neighbors {
  next: string | undefined
  previous: string | undefined
  /** The next one that waits, from here on. */
  nextWaiting: string | undefined
  longestWaiting: string | undefined
}

/** `summary`: of the open conversation. */
export function useNeighbors(clientId: string, summary: ConversationSummary | undefined): Neighbors {
  const [filter] = useListFilter()
  const { data } = useInfiniteQuery(conversationsQuery(filter))
  // Its place in the list stays that of its first summary, as on the screen.
  const [placed, setPlaced] = useState(summary)
  if (placed === undefined && summary !== undefined) setPlaced(summary)

  const order = orderOf(filter)
  const sorted = data ? inOrder(data, order) : []
  const rows = summary && placed ? keepPlace(sorted, summary, placed, order) : sorted
  const here = rows.findIndex((row) => row.clientId === clientId)
  const [longest] = sorted
    .filter((row) => row.waitingSince !== null && row.clientId !== clientId)
    .sort((a, b) => ((a.waitingSince ?? '') < (b.waitingSince ?? '') ? -1 : 1))
  const addressOf = (row: ConversationSummary | undefined) =>
    row && `/dashboard/messages/${row.clientId}${searchOf(filter)}`
  return {
    next: addressOf(rows[here + 1]),
    previous: addressOf(rows[here - 1]),
    nextWaiting: addressOf(nextWaiting(sorted, clientId)),
    longestWaiting: addressOf(longest),
  }
}
