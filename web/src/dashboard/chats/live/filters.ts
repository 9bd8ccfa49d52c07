import { labelKey } from '@proctorpass/shared/label-key'
import type { ConversationSummary, ConversationsQuery } from '@proctorpass/shared/schemas/chat'
import type { Counts } from '@proctorpass/shared/schemas/inbox'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { isExamSoon } from './exam.ts'

export type TabId = Exclude<keyof Counts, 'sites'>

interface Tab {
  id: TabId
  label: string
  /** The tab's name in the address. Null for the default tab. */
  slug: string | null
  query: ConversationsQuery
}

/** The tabs above the list, in the order in which they are shown. */
export const TABS: readonly Tab[] = [
  { id: 'open', label: 'Open', slug: null, query: { status: 'open' } },
  { id: 'mine', label: 'Mine', slug: 'mine', query: { status: 'open', assignee: 'me' } },
  { id: 'unassigned', label: 'Unassigned', slug: 'unassigned', query: { status: 'open', assignee: 'none' } },
  { id: 'examSoon', label: 'Exam soon', slug: 'exam-soon', query: { exam: 'soon' } },
  { id: 'snoozed', label: 'Snoozed', slug: 'snoozed', query: { status: 'snoozed' } },
  { id: 'resolved', label: 'Resolved', slug: 'resolved', query: { status: 'resolved' } },
  { id: 'all', label: 'All', slug: 'all', query: {} },
  { id: 'spam', label: 'Spam', slug: 'spam', query: { status: 'spam' } },
]

/** Says which conversations a list shows: a tab, narrowed down. */
export interface ListFilter {
  tab: TabId
  label: string | null
  /** A user ID or `none`. Null in tabs that name an assignee themselves. */
  assignee: string | null
  unread: boolean
  /** A site's ID or `own`. */
  site: string | null
}

export const NO_FILTERS = { label: null, assignee: null, unread: false, site: null }
export const DEFAULT_FILTER: ListFilter = { tab: 'open', ...NO_FILTERS }

const tabOf = (id: TabId): Tab => TABS.find((tab) => tab.id === id) as Tab

/** Returns whether the tab lets the admin choose an assignee. */
export const hasAssigneeFilter = (tab: TabId): boolean => tabOf(tab).query.assignee === undefined

/** Reads the filter from a page's address. It ignores unknown values. */
export function filterOf(params: URLSearchParams): ListFilter {
  const slug = params.get('tab')
  const tab = (TABS.find((known) => known.slug === slug) ?? tabOf('open')).id
  return {
    tab,
    label: params.get('label') || null,
    assignee: hasAssigneeFilter(tab) ? params.get('assignee') || null : null,
    unread: params.get('unread') === '1',
    site: params.get('site') || null,
  }
}

/** Returns the filter as an address's query: `?tab=mine&unread=1`, or empty for the default. */
export function searchOf({ tab, label, assignee, unread, site }: ListFilter): string {
  const params = new URLSearchParams()
  const { slug } = tabOf(tab)
  if (slug !== null) params.set('tab', slug)
  if (label !== null) params.set('label', label)
  if (assignee !== null && hasAssigneeFilter(tab)) params.set('assignee', assignee)
  if (unread) params.set('unread', '1')
  if (site !== null) params.set('site', site)
  return params.size === 0 ? '' : `?${params}`
}

/** Returns the query for `GET /chat`. */
export function queryOf({ tab, label, assignee, unread, site }: ListFilter): ConversationsQuery {
  return {
    ...tabOf(tab).query,
    ...(label !== null && { label }),
    ...(assignee !== null && { assignee }),
    ...(unread && { unread: '1' as const }),
    ...(site !== null && { site }),
  }
}

/** Returns whether the server would list a conversation. Labels are compared without case. */
export function matches(
  filter: ListFilter,
  conversation: ConversationSummary,
  { userId, now }: { userId: string; now: number },
): boolean {
  const { status, assignee, label, exam, unread, site } = queryOf(filter)
  // Only a list that names spam has it.
  if (status === undefined ? conversation.status === 'spam' : status !== conversation.status) return false
  if (assignee !== undefined) {
    const wanted = { me: userId, none: null }[assignee]
    if ((wanted === undefined ? assignee : wanted) !== conversation.assigneeId) return false
  }
  if (label !== undefined && !conversation.labels.some((own) => labelKey(own) === labelKey(label)))
    return false
  if (site !== undefined && (conversation.site?._id ?? 'own') !== site) return false
  if (unread !== undefined && conversation.adminUnread === 0) return false
  if (exam === undefined) return true
  const { examAt } = conversation.visitor
  return conversation.status !== 'resolved' && examAt !== null && isExamSoon(examAt, now)
}

/** Returns the server's order for a list. */
export function orderOf({ tab }: ListFilter): (a: ConversationSummary, b: ConversationSummary) => number {
  return tab === 'examSoon' ? byExam : byUrgency
}

/** Sorts conversations: longest waiting first, then newest message first. */
export function byUrgency(a: ConversationSummary, b: ConversationSummary): number {
  if (a.waitingSince !== b.waitingSince) {
    if (a.waitingSince === null) return 1
    if (b.waitingSince === null) return -1
    return a.waitingSince < b.waitingSince ? -1 : 1
  }
  const [aLast, bLast] = [a.lastMessage.createdAt, b.lastMessage.createdAt]
  if (a.waitingSince === null && aLast !== bLast) return aLast > bLast ? -1 : 1
  return a.clientId < b.clientId ? -1 : 1
}

function byExam(a: ConversationSummary, b: ConversationSummary): number {
  const difference = Date.parse(a.visitor.examAt ?? '') - Date.parse(b.visitor.examAt ?? '')
  return difference || (a.clientId < b.clientId ? -1 : 1)
}

/**
 * Returns the filter in the address, so that Back and a reload keep it, and a function that changes it. Each change
 * adds a step to the history.
 */
export function useListFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => filterOf(params), [params])
  // The address changes at once, because the next change begins with this one.
  const change = (values: Partial<ListFilter>) =>
    setParams(new URLSearchParams(searchOf({ ...filter, ...values })), { flushSync: true })
  return [filter, change]
}
