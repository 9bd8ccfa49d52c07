import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useHasMessages } from '../live/admin-chat-context.tsx'
import { keepOrder, keepPlace } from '../live/conversations.ts'
import type { orderOf } from '../live/filters.ts'
import { summaryQuery } from '../live/summaries.ts'

const HOLD_MS = 2_000

/**
 * Keeps the open conversation in the place that it had when the admin opened it, until the admin leaves it. An answer
 * would otherwise sort it far away, and a change could remove it from the list. An erased conversation does not stay.
 */
export function useOpenInPlace(
  sorted: ConversationSummary[],
  current: string | undefined,
  order: ReturnType<typeof orderOf>,
): ConversationSummary[] {
  const [open, setOpen] = useState<{ placed: ConversationSummary; live: ConversationSummary } | null>(null)
  const hasMessages = useHasMessages(current)
  const isGone = hasMessages === false
  const { data: summary } = useQuery({
    ...summaryQuery(current ?? ''),
    enabled: hasMessages === true,
  })
  const listed = sorted.find(({ clientId }) => clientId === current)
  const known = open?.placed.clientId === current ? open : null
  if (listed && listed !== known?.live) setOpen({ placed: known?.placed ?? listed, live: listed })
  return useMemo(() => {
    if (!known || (isGone && !listed)) return sorted
    return keepPlace(sorted, listed ?? summary ?? known.live, known.placed, order)
  }, [sorted, known, isGone, listed, summary, order])
}

/** Keeps the rows and their order while the pointer or a key is in use, so that a row does not move under a click. */
export function useSteadyRows(sorted: ConversationSummary[]) {
  const [held, setHeld] = useState(false)
  const release = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(release.current), [])
  const shown = useRef(sorted)
  const rows = useMemo(() => (held ? keepOrder(shown.current, sorted) : sorted), [held, sorted])
  useEffect(() => {
    shown.current = rows
  }, [rows])
  return {
    rows,
    hold() {
      setHeld(true)
      clearTimeout(release.current)
      release.current = setTimeout(() => setHeld(false), HOLD_MS)
    },
    release() {
      clearTimeout(release.current)
      setHeld(false)
    },
  }
}
