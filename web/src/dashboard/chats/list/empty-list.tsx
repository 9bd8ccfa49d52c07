import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type ListFilter, NO_FILTERS, type TabId } from '../live/filters.ts'

/** What an admin can do in an empty tab. */
const NEXT: Record<TabId, ReactNode> = {
  open: (
    <>
      Conversations from the live chat appear here. To try it, <a href="/">open the site</a>.
    </>
  ),
  mine: 'Answer a conversation, or assign it to yourself, to see it here.',
  unassigned: 'Every open conversation has an assignee. New ones appear here.',
  examSoon:
    'Visitors whose exam is within the next 24 hours appear here. Add exam times in the “Visitor” panel.',
  snoozed: 'Snooze a conversation to put it aside until a time that you choose.',
  resolved: 'Resolve a conversation when nothing is left to do. It opens again when the visitor writes.',
  all: (
    <>
      Conversations from the live chat appear here. To try it, <a href="/">open the site</a>.
    </>
  ),
}

interface EmptyListProps {
  filter: ListFilter
  /** The server's message. */
  message: string | null | undefined
  onChange: (change: Partial<ListFilter>) => void
}

export function EmptyList({
  filter: { tab, label, assignee, unread, site },
  message,
  onChange,
}: EmptyListProps) {
  if (label === null && assignee === null && site === null && !unread) {
    return <EmptyState message={message ?? 'No messages found!'}>{NEXT[tab]}</EmptyState>
  }
  return (
    <EmptyState message="No conversations match these filters.">
      <button type="button" className="link-button" onClick={() => onChange(NO_FILTERS)}>
        Clear filters
      </button>
    </EmptyState>
  )
}
