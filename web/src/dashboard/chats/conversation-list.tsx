import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router-dom'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Loading } from '../ui/loading.tsx'
import { useDesk, useOnline } from './admin-chat.tsx'
import { conversationsQuery, inOrder, keepOrder } from './conversations.ts'

const ROW_HEIGHT_GUESS = 64
/** They stay at the top while the rows scroll below them. */
const COLUMN_HEADS_HEIGHT = 48
const ROWS_BEYOND = 8
/** The next page is asked for when this few rows are left below. */
const ROWS_AHEAD = 40
const HOLD_MS = 2_000

interface ConversationListProps {
  heading?: ReactNode
  /** The one that is open beside the list. */
  current?: string
}

/** Every conversation, who waits longest first. */
export function ConversationList({ heading, current }: ConversationListProps) {
  const desk = useDesk()
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(conversationsQuery)
  const sorted = useMemo(() => (data ? inOrder(data) : []), [data])
  const { rows, hold } = useSteadyRows(sorted)
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
    overscan: ROWS_BEYOND,
    scrollPaddingStart: COLUMN_HEADS_HEIGHT,
    initialOffset: () => (current === undefined ? desk.listOffset.current : 0),
    // The row with the focus must not leave the document while others are scrolled past.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((a, b) => a - b),
  })
  const items = virtualizer.getVirtualItems()
  const lastShown = virtualizer.range?.endIndex ?? 0

  // What was kept from an earlier visit may be old.
  useEffect(() => desk.conversations.readAgain(), [desk])
  useEffect(() => desk.conversations.setShownRows(lastShown + 1), [desk, lastShown])
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
      <Row
        key={item.key}
        conversation={conversation}
        index={item.index}
        gap={item.start - end}
        focusable={item.index === activeIndex}
        isCurrent={conversation.clientId === current}
        userId={desk.userId}
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
      {data && rows.length === 0 && <p className="dashboard-note">{data.pages[0]?.message}</p>}
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
            if (current === undefined) desk.listOffset.current = event.currentTarget.scrollTop
          }}
        >
          <table aria-rowcount={hasNextPage ? -1 : rows.length + 1} aria-label="Conversations">
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col">Id</th>
                <th scope="col">UserName</th>
                <th scope="col">Last message</th>
                <th scope="col">Waiting since</th>
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

/** Keeps the rows where they are while somebody is about to click one; a pointer or key at rest lets them move. */
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

interface RowProps {
  conversation: ConversationSummary
  index: number
  /** The height of the rows above it that are not in the document. */
  gap: number
  focusable: boolean
  isCurrent: boolean
  userId: string
  measure: (row: HTMLTableRowElement | null) => void
}

const Row = memo(function Row({ conversation, index, gap, focusable, isCurrent, userId, measure }: RowProps) {
  const { clientId, adminUnread, lastMessage, waitingSince } = conversation
  const online = useOnline(clientId)
  return (
    <tr
      ref={measure}
      style={{ marginTop: gap }}
      data-index={index}
      data-unread={adminUnread > 0}
      data-waiting={waitingSince !== null}
      data-current={isCurrent}
      aria-rowindex={index + 2}
    >
      <td className="conversations-number">{index + 1}</td>
      <td className="conversations-name">
        <span className="conversations-client">{clientId}</span>
        {adminUnread > 0 && (
          <span className="dashboard-badge">
            {adminUnread}
            <span className="visually-hidden"> unread</span>
          </span>
        )}
        {online && <span className="conversations-online">online</span>}
      </td>
      <td className="conversations-last">
        <span className="conversations-words" dir="auto">
          {lastMessage.senderId === userId && 'You: '}
          {firstWords(lastMessage.message)}
        </span>
        <RelativeTime iso={lastMessage.createdAt} />
      </td>
      <td className="conversations-waiting">
        {waitingSince === null ? 'answered' : <RelativeTime iso={waitingSince} />}
      </td>
      <td className="conversations-action">
        <Link
          to={`/dashboard/messages/${clientId}`}
          tabIndex={focusable ? 0 : -1}
          aria-current={isCurrent ? 'page' : undefined}
        >
          View <span className="visually-hidden">the conversation of {clientId}</span>
        </Link>
      </td>
    </tr>
  )
})

/** Enough to fill a line; whole characters only. */
function firstWords(message: string): string {
  return (message.match(/^.{0,160}/su)?.[0] ?? '').replaceAll(/\s+/g, ' ')
}
