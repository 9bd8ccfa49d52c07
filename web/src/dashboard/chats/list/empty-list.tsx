import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type ListFilter, NO_FILTERS, type TabId } from '../live/filters.ts'

const IN_CHAT = (
  <>
    Conversations from the live chat appear here. To try it, <a href="/">open the site</a>.
  </>
)

/** What an admin can do in an empty tab. */
const NEXT: Record<TabId, ReactNode> = {
  open: IN_CHAT,
  mine: 'Answer a conversation, or assign it to yourself, to see it here.',
  unassigned: 'Every open conversation has an assignee. New ones appear here.',
  examSoon:
    'Visitors whose exam is within the next 24 hours appear here. Add exam times in the “Visitor” panel.',
  snoozed: 'Snooze a conversation to put it aside until a time that you choose.',
  resolved: 'Resolve a conversation when nothing is left to do. It opens again when the visitor writes.',
  spam: 'Conversations that you mark as spam stay here for 30 days and are then erased.',
  all: IN_CHAT,
}

/** A speech bubble that is ticked off. */
const ANSWERED = (
  <>
    <path className="drawing-grey" d="M6 90c44-2 88-2 132 0M34 38c9-1 18-1 26 0M34 52c6-1 12-1 17 0" />
    <path d="M18 16c26-2 52-2 78 0 4 0 6 3 6 6 1 15 1 30 0 44 0 4-3 6-6 6-15 1-29 1-44 1-5 5-11 10-18 13 3-4 4-8 4-13-7 0-13 0-20-1-3 0-6-2-6-6-1-14-1-29 0-44 0-3 3-6 6-6z" />
    <path className="drawing-green" d="M86 50c5 4 10 10 14 18 7-20 18-36 34-52" />
  </>
)

interface EmptyListProps {
  filter: ListFilter
  /** The server's message. */
  message: string | null | undefined
  onChange: (change: Partial<ListFilter>) => void
}

/** Says that no conversation is in the tab or matches the filters, and leads to the next step. */
export function EmptyList({
  filter: { tab, label, assignee, unread, site },
  message,
  onChange,
}: EmptyListProps) {
  const button = (words: string, change: Partial<ListFilter>) => (
    <button type="button" className="button" onClick={() => onChange(change)}>
      {words}
    </button>
  )
  if (label !== null || assignee !== null || site !== null || unread) {
    return (
      <EmptyState
        message="No conversations match these filters."
        drawing={ANSWERED}
        action={button('Clear filters', NO_FILTERS)}
      />
    )
  }
  const isEverything = tab === 'open' || tab === 'all'
  const toSites = (
    <Link className="button" to="/dashboard/sites">
      Add the chat to a website
    </Link>
  )
  return (
    <EmptyState
      message={message ?? 'No messages found!'}
      drawing={ANSWERED}
      action={isEverything ? toSites : button('Show open conversations', { tab: 'open' })}
    >
      {NEXT[tab]}
    </EmptyState>
  )
}
