import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { conversationsQuery, inOrder, keepPlace, nextWaiting } from '../live/conversations.ts'
import { orderOf, searchOf, useListFilter } from '../live/filters.ts'

export type Neighbors = ReturnType<typeof useNeighbors>

/**
 * The addresses of the conversations around an open one, in the list from which it was opened. `summary` is that of the
 * open conversation.
 */
export function useNeighbors(clientId: string, summary: ConversationSummary | undefined) {
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
    /** The next conversation that waits, from this one on. */
    nextWaiting: addressOf(nextWaiting(sorted, clientId)),
    longestWaiting: addressOf(longest),
  }
}
