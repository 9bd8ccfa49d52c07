import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { conversationsQuery, inOrder, keepPlace, nextWaiting } from '../live/conversations.ts'
import { orderOf, searchOf, useListFilter } from '../live/filters.ts'

export type Neighbors = ReturnType<typeof useNeighbors>

/**
 * Returns the addresses of the conversations before and after an open one, in the list from which it was opened.
 * `summary` is the open conversation's.
 */
export function useNeighbors(clientId: string, summary: ConversationSummary | undefined) {
  const [filter] = useListFilter()
  const { data } = useInfiniteQuery(conversationsQuery(filter))
  // As on the screen, its place in the list is the place of its first summary.
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
    /** The next waiting conversation after this one. */
    nextWaiting: addressOf(nextWaiting(sorted, clientId)),
    longestWaiting: addressOf(longest),
  }
}
