import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { isNewTo } from '../live/is-new-to.ts'
import { useUpdateMarks } from '../live/update-marks.ts'
import { ConversationRow } from './conversation-row.tsx'
import { useListHeights } from './row-height.ts'
import { useArrivals } from './row-motion.ts'
import type { Selection } from './use-selection.ts'
import './conversations.css'

const OVERSCAN_ROWS = 8

export interface TableHandle {
  /** Returns the clientId of the row that takes the focus. */
  active(): string
  /** Returns the same clientId while the focus is in that row, and otherwise null. */
  focused(): string | null
  /** Moves the focus for a key. Returns false if the key does not move it. */
  move(key: string): boolean
  focus(): void
}

interface ConversationTableProps {
  ref: Ref<TableHandle>
  rows: readonly ConversationSummary[]
  current: string | undefined
  /** The query in the list's address. */
  search: string
  /** Undefined if rows cannot be chosen. */
  selection: Selection | undefined
  hasMore: boolean
  /** Called when the pointer or the focus is in use, so that rows stay in their places. */
  onHold: () => void
  /** Receives the number of rows down to the last visible one. */
  onShown: (rows: number) => void
  children: ReactNode
}

/** Shows the rows as a table. Only the rows on the screen are in the document, and one row takes the focus. */
export function ConversationTable(props: ConversationTableProps) {
  const { ref, rows, current, search, selection, hasMore, onHold, onShown, children } = props
  const { userId, listOffsets } = useAdminChat()
  const team = useTeam()
  const [active, setActive] = useState({ clientId: current ?? '', index: 0 })
  const found = rows.findIndex(({ clientId }) => clientId === active.clientId)
  // If the active row has left, the next row replaces it.
  const activeIndex = found >= 0 ? found : Math.min(active.index, rows.length - 1)

  const heights = useListHeights(selection === undefined)
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => heights.row,
    getItemKey: useCallback((index: number) => rows[index]?.clientId ?? index, [rows]),
    overscan: OVERSCAN_ROWS,
    scrollPaddingStart: heights.heads,
    initialOffset: () => (current === undefined ? (listOffsets.get(search) ?? 0) : 0),
    // The focused row must stay in the document while it is scrolled out of view.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((a, b) => a - b),
  })
  const isVisible = useCallback(
    (index: number) => {
      const top = index * heights.row - (virtualizer.scrollOffset ?? 0)
      return top > -heights.row && top < (virtualizer.scrollRect?.height ?? 0)
    },
    [virtualizer, heights.row],
  )
  const shown = (virtualizer.range?.endIndex ?? 0) + 1
  useEffect(() => onShown(shown), [onShown, shown])

  const currentIndex = rows.findIndex(({ clientId }) => clientId === current)
  const isListed = currentIndex >= 0
  const showCurrent = useEffectEvent(() => {
    if (isListed) virtualizer.scrollToIndex(currentIndex)
  })
  useEffect(() => showCurrent(), [current, isListed])

  /** The element that takes the focus in the active row after the next render. */
  const wantsFocus = useRef<'a' | 'input' | null>(null)
  useEffect(() => {
    const wanted = wantsFocus.current
    if (wanted === null) return
    wantsFocus.current = null
    scroller.current
      ?.querySelector<HTMLElement>(`tbody ${wanted}[tabindex="0"]`)
      ?.focus({ preventScroll: true })
  })

  const hasFocus = (part: string) =>
    scroller.current?.querySelector(part)?.contains(document.activeElement) === true
  useImperativeHandle(ref, () => ({
    active: () => rows[activeIndex]?.clientId ?? '',
    focused: () => (hasFocus('tbody') ? (rows[activeIndex]?.clientId ?? null) : null),
    move(key) {
      const inList = hasFocus('table')
      const inRows = hasFocus('tbody')
      const below = inRows ? activeIndex + 1 : activeIndex
      const wanted = {
        ...{ j: below, k: activeIndex - 1 },
        ...(inList && { ArrowDown: below, ArrowUp: activeIndex - 1, Home: 0, End: rows.length - 1 }),
      }[key]
      if (wanted === undefined) return false
      const index = Math.min(Math.max(wanted, 0), rows.length - 1)
      wantsFocus.current = document.activeElement instanceof HTMLInputElement && inRows ? 'input' : 'a'
      setActive({ clientId: rows[index]?.clientId ?? '', index })
      virtualizer.scrollToIndex(index)
      return true
    },
    focus() {
      wantsFocus.current = 'a'
      setActive({ ...active })
    },
  }))

  const updateMarks = useUpdateMarks()
  const arrivals = useArrivals(rows)
  const now = serverNow()
  const body: ReactNode[] = []
  let end = 0
  for (const item of virtualizer.getVirtualItems()) {
    const conversation = rows[item.index]
    if (!conversation) continue
    const { clientId, lastMessage, assigneeId } = conversation
    body.push(
      <ConversationRow
        key={item.key}
        conversation={conversation}
        index={item.index}
        gap={item.start - end}
        focusable={item.index === activeIndex}
        isCurrent={clientId === current}
        isArriving={arrivals.has(clientId)}
        isNew={isNewTo(userId, conversation, now)}
        update={updateMarks.get(clientId)}
        search={search}
        author={lastMessage.senderId === clientId ? null : adminName(team, lastMessage.senderId, userId)}
        assignee={assigneeId === null ? null : adminName(team, assigneeId, userId)}
        selected={selection?.has(clientId)}
        onSelect={selection?.toggle}
        measure={virtualizer.measureElement}
        isVisible={isVisible}
      />,
    )
    end = item.end
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a moving pointer keeps the rows in place
    <div
      className="conversations"
      data-beside={selection === undefined}
      ref={scroller}
      onPointerMove={onHold}
      onPointerDown={onHold}
      onFocus={(event) => {
        const row = event.target.closest<HTMLElement>('tr[data-index]')
        if (!row) return
        const index = Number(row.dataset.index)
        setActive({ clientId: rows[index]?.clientId ?? '', index })
      }}
      onScroll={(event) => {
        if (current === undefined) listOffsets.set(search, event.currentTarget.scrollTop)
      }}
    >
      <table aria-rowcount={hasMore ? -1 : rows.length + 1} aria-label="Conversations">
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" aria-label="Id">
              {selection && <SelectAll rows={rows} selection={selection} />}
              <span>Id</span>
            </th>
            <th scope="col">UserName</th>
            <th scope="col">Last message</th>
            <th scope="col">Waiting</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody style={{ height: virtualizer.getTotalSize() }}>{body}</tbody>
      </table>
      {children}
    </div>
  )
}

function SelectAll({ rows, selection }: { rows: readonly ConversationSummary[]; selection: Selection }) {
  const count = selection.selected.length
  return (
    <label className="conversations-select">
      <input
        type="checkbox"
        aria-label="Select all"
        checked={count === rows.length}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && count < rows.length
        }}
        onChange={() => (count === rows.length ? selection.clear() : selection.selectAll())}
      />
    </label>
  )
}
