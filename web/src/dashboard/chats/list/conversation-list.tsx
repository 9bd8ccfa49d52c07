import {
  ArrowDown,
  ArrowUp,
  CircleCheck,
  Clock,
  MessageSquareDot,
  MessageSquareOff,
  OctagonAlert,
  ShieldCheck,
  SquareCheck,
  Tag,
  UserRoundPlus,
} from 'virtual:icons'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { toast } from '../../../components/toast.ts'
import { LoadFailed, Loading } from '../../ui/loading.tsx'
import { onDemand } from '../../ui/on-demand.tsx'
import { useCommands } from '../../ui/shortcuts.ts'
import { useMarkUnread } from '../changes/use-mark-unread.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { conversationsQuery, inOrder } from '../live/conversations.ts'
import { type ListFilter, orderOf, searchOf, useListFilter } from '../live/filters.ts'
import type { BulkAction } from './bulk-bar.tsx'
import { ConversationTable, type TableHandle } from './conversation-table.tsx'
import { SkeletonRows } from './skeleton-rows.tsx'
import { useOpenInPlace, useSteadyRows } from './steady-rows.ts'
import { useSelection } from './use-selection.ts'
import './chats-page.css'

const EmptyList = onDemand(async () => (await import('./empty-list.tsx')).EmptyList)
const BulkBar = onDemand(async () => (await import('./bulk-bar.tsx')).BulkBar)

/** The next page is loaded when fewer rows than this are left below. */
const ROWS_AHEAD = 40

interface ConversationListProps {
  /** The conversation that is open beside the list. If there is one, rows cannot be chosen. */
  current?: string
  /** Whether the admin is choosing rows on a narrow screen. */
  isSelecting?: boolean
  onSelecting?: (isSelecting: boolean) => void
}

/** Lists the conversations that match the filter in the address. */
export function ConversationList(props: ConversationListProps) {
  const [filter, setFilter] = useListFilter()
  // Selection, focus, and scroll offset belong to one filter.
  return <List key={searchOf(filter)} {...props} filter={filter} onFilter={setFilter} />
}

interface ListProps extends ConversationListProps {
  filter: ListFilter
  onFilter: (change: Partial<ListFilter>) => void
}

function List({ current, isSelecting = false, onSelecting, filter, onFilter }: ListProps) {
  const { conversations } = useAdminChat()
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(conversationsQuery(filter))
  const order = orderOf(filter)
  const sorted = useMemo(() => (data ? inOrder(data, order) : []), [data, order])
  const { rows, hold, release } = useSteadyRows(useOpenInPlace(sorted, current, order))
  const selection = useSelection(rows)
  const table = useRef<TableHandle>(null)

  const [shownRows, setShownRows] = useState(1)
  // Cached rows from an earlier visit may be old.
  useEffect(() => conversations.refetch(), [conversations])
  useEffect(() => conversations.setShownRows(shownRows), [conversations, shownRows])
  useEffect(() => {
    if (hasNextPage && !isFetching && !error && shownRows + ROWS_AHEAD > rows.length) void fetchNextPage()
  }, [hasNextPage, isFetching, error, shownRows, rows.length, fetchNextPage])

  // In the document, menus are outside the list, so their keys are not the list's keys.
  function handleKey(event: KeyboardEvent<HTMLElement>) {
    const { key, target, currentTarget } = event
    if (event.altKey || event.ctrlKey || event.metaKey || !currentTarget.contains(target as Node)) return
    hold()
    if (key === 'Escape' && selection.selected.length > 0) selection.clear()
    else if (!table.current?.move(key)) return
    event.preventDefault()
  }

  const [action, setAction] = useState<BulkAction | null>(null)
  /** Begins an action for the chosen conversations, or for the focused one if none are chosen. */
  const begin = (next: BulkAction) => () => {
    const focused = table.current?.focused() ?? null
    if (selection.selected.length === 0 && focused === null) return toast.info('No conversation is selected')
    if (selection.selected.length === 0 && focused !== null) selection.toggle(focused, false)
    setAction(next)
  }
  const markUnread = useMarkUnread()
  /** Returns the chosen conversations, or the focused one if none are chosen. */
  function chosenOrFocused(): readonly ConversationSummary[] {
    const focused = table.current?.focused() ?? null
    if (selection.selected.length > 0) return selection.selected
    const found = rows.filter(({ clientId }) => clientId === focused)
    if (found.length === 0) toast.info('No conversation is selected')
    return found
  }
  const move = (key: 'j' | 'k') => () => {
    hold()
    table.current?.move(key)
  }
  useCommands(
    onSelecting === undefined || rows.length === 0
      ? []
      : [
          { label: 'Next conversation', icon: ArrowDown, keys: 'j', run: move('j') },
          { label: 'Previous conversation', icon: ArrowUp, keys: 'k', run: move('k') },
          {
            label: 'Select',
            icon: SquareCheck,
            keys: 'x',
            run: () => selection.toggle(table.current?.active() ?? '', false),
          },
          ...(filter.tab === 'spam'
            ? [{ label: 'Not spam', icon: ShieldCheck, keys: '!', run: begin('spam') }]
            : [
                { label: 'Resolve', icon: CircleCheck, keys: 'e', run: begin('resolve') },
                { label: 'Needs no answer', icon: MessageSquareOff, keys: 'd', run: begin('settle') },
                { label: 'Snooze', icon: Clock, keys: 's', run: begin('snooze') },
                { label: 'Spam', icon: OctagonAlert, keys: '!', run: begin('spam') },
              ]),
          {
            label: 'Mark as unread',
            icon: MessageSquareDot,
            keys: 'u',
            run: () => {
              const chosen = chosenOrFocused()
              if (chosen.length > 0) void markUnread(chosen)
            },
          },
          { label: 'Assign', icon: UserRoundPlus, keys: 'a', run: begin('assign') },
          { label: 'Label', icon: Tag, keys: 'l', run: begin('label') },
        ],
  )

  function stopSelecting() {
    selection.clear()
    onSelecting?.(false)
    table.current?.focus()
  }
  function finish() {
    release()
    stopSelecting()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus between the links inside
    <div className="conversation-list" data-selecting={isSelecting} onKeyDown={handleKey}>
      {isPending && <SkeletonRows isBeside={onSelecting === undefined} />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && rows.length === 0 && (
        <EmptyList filter={filter} message={data.pages[0]?.message} onChange={onFilter} onFailed={() => {}} />
      )}
      {rows.length > 0 && (
        <ConversationTable
          ref={table}
          rows={rows}
          current={current}
          search={searchOf(filter)}
          selection={onSelecting && selection}
          hasMore={hasNextPage}
          onHold={hold}
          onShown={setShownRows}
        >
          {isFetchingNextPage && <Loading />}
        </ConversationTable>
      )}
      {onSelecting && (isSelecting || selection.selected.length > 0) && (
        <BulkBar
          onFailed={stopSelecting}
          selected={selection.selected}
          action={action}
          onAction={setAction}
          onSelectAll={selection.selectAll}
          onClear={stopSelecting}
          onDone={finish}
        />
      )}
    </div>
  )
}
