import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/loading.tsx'
import { useAdminChat } from './admin-chat.tsx'
import { ConversationRow } from './conversation-row.tsx'
import { conversationsQuery, inOrder, keepOrder, keepPlace } from './conversations.ts'
import { orderOf } from './filters.ts'
import { findSummary } from './summaries.ts'
import { useListFilter } from './use-list-filter.ts'

const ROW_HEIGHT_GUESS = 64
/** Sticky above the rows. */
const COLUMN_HEADS_HEIGHT = 48
const OVERSCAN_ROWS = 8
/** The next page is loaded when fewer rows than this are left below. */
const ROWS_AHEAD = 40
const HOLD_MS = 2_000

interface ConversationListProps {
  heading?: ReactNode
  /** The conversation that is open beside the list. */
  current?: string
}

/** All conversations, the longest waiting first. */
export function ConversationList({ heading, current }: ConversationListProps) {
  const { userId, conversations, listOffset } = useAdminChat()
  const [filter] = useListFilter()
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(conversationsQuery(filter))
  const order = orderOf(filter)
  const sorted = useMemo(() => (data ? inOrder(data, order) : []), [data, order])
  const { rows, hold } = useSteadyRows(useOpenInPlace(sorted, current, order))
  const [activeId, setActiveId] = useState<string | null>(current ?? null)
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ clientId }) => clientId === activeId),
  )

  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_GUESS,
    getItemKey: useCallback((index: number) => rows[index]?.clientId ?? index, [rows]),
    overscan: OVERSCAN_ROWS,
    scrollPaddingStart: COLUMN_HEADS_HEIGHT,
    initialOffset: () => (current === undefined ? listOffset.current : 0),
    // The focused row must stay in the document while it is scrolled out of view.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((a, b) => a - b),
  })
  const items = virtualizer.getVirtualItems()
  const lastShown = virtualizer.range?.endIndex ?? 0

  // Cached rows of an earlier visit may be old.
  useEffect(() => conversations.refetch(), [conversations])
  useEffect(() => conversations.setShownRows(lastShown + 1), [conversations, lastShown])
  useEffect(() => {
    if (hasNextPage && !isFetching && !error && lastShown + ROWS_AHEAD >= rows.length) void fetchNextPage()
  }, [hasNextPage, isFetching, error, lastShown, rows.length, fetchNextPage])

  const currentIndex = rows.findIndex(({ clientId }) => clientId === current)
  const isListed = currentIndex >= 0
  const showCurrent = useEffectEvent(() => {
    if (isListed) virtualizer.scrollToIndex(currentIndex)
  })
  useEffect(() => showCurrent(), [current, isListed])

  const wantsFocus = useRef(false)
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroller.current?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus({ preventScroll: true })
  })

  function handleKeyDown(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey || rows.length === 0) return
    hold()
    const inRows = scroller.current?.querySelector('tbody')?.contains(event.target as Node)
    const target = {
      j: inRows ? activeIndex + 1 : activeIndex,
      ArrowDown: inRows ? activeIndex + 1 : activeIndex,
      k: activeIndex - 1,
      ArrowUp: activeIndex - 1,
      Home: 0,
      End: rows.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const index = Math.min(Math.max(target, 0), rows.length - 1)
    wantsFocus.current = true
    setActiveId(rows[index]?.clientId ?? null)
    virtualizer.scrollToIndex(index)
  }

  const body: ReactNode[] = []
  let end = 0
  for (const item of items) {
    const conversation = rows[item.index]
    if (!conversation) continue
    body.push(
      <ConversationRow
        key={item.key}
        conversation={conversation}
        index={item.index}
        gap={item.start - end}
        focusable={item.index === activeIndex}
        isCurrent={conversation.clientId === current}
        userId={userId}
        measure={virtualizer.measureElement}
      />,
    )
    end = item.end
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus between the links inside
    <div className="conversation-list" onKeyDown={handleKeyDown}>
      {heading}
      {isPending && <Loading />}
      {error && (
        <div className="dashboard-note" role="alert">
          <p>{error.message}</p>
          <button type="button" className="dashboard-button" onClick={() => void refetch()}>
            Try again
          </button>
        </div>
      )}
      {data && rows.length === 0 && (
        <EmptyState message={data.pages[0]?.message}>
          Conversations from the live chat appear here. To try it, <a href="/">open the site</a>.
        </EmptyState>
      )}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a moving pointer keeps the rows in place
        <div
          className="conversations"
          ref={scroller}
          onPointerMove={hold}
          onPointerDown={hold}
          onFocus={(event) => {
            const row = event.target.closest<HTMLElement>('tr[data-index]')
            if (row) setActiveId(rows[Number(row.dataset.index)]?.clientId ?? null)
          }}
          onScroll={(event) => {
            if (current === undefined) listOffset.current = event.currentTarget.scrollTop
          }}
        >
          <table aria-rowcount={hasNextPage ? -1 : rows.length + 1} aria-label="Conversations">
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col">Id</th>
                <th scope="col">UserName</th>
                <th scope="col">Last message</th>
                <th scope="col">Waiting</th>
                <th scope="col">Action</th>
              </tr>
            </thead>
            <tbody style={{ height: virtualizer.getTotalSize() }}>{body}</tbody>
          </table>
          {isFetchingNextPage && <Loading />}
        </div>
      )}
    </div>
  )
}

/**
 * Keeps the open conversation where it was when it was opened, until the admin leaves it: an answer would sort it far
 * away, and a change could take it out of the list.
 */
function useOpenInPlace(
  sorted: ConversationSummary[],
  current: string | undefined,
  order: ReturnType<typeof orderOf>,
): ConversationSummary[] {
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<{ placed: ConversationSummary; live: ConversationSummary } | null>(null)
  const listed = sorted.find(({ clientId }) => clientId === current)
  const known = open?.placed.clientId === current ? open : null
  if (listed && listed !== known?.live) setOpen({ placed: known?.placed ?? listed, live: listed })
  return useMemo(() => {
    if (!known) return sorted
    const { clientId } = known.placed
    const live = listed ?? findSummary(queryClient, clientId) ?? known.live
    return keepPlace(sorted, live, known.placed, order)
  }, [sorted, known, listed, order, queryClient])
}

/** Keeps the order of rows while the pointer or a key is in use, so that no row moves under a click. */
function useSteadyRows(sorted: ConversationSummary[]) {
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
  }
}
