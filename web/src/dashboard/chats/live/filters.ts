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
  /** In the address; none for the default. */
  slug: string | null
  query: ConversationsQuery
}

/** The tabs above the list, in their order. */
export const TABS: readonly Tab[] = [
  { id: 'open', label: 'Open', slug: null, query: { status: 'open' } },
  { id: 'mine', label: 'Mine', slug: 'mine', query: { status: 'open', assignee: 'me' } },
  { id: 'unassigned', label: 'Unassigned', slug: 'unassigned', query: { status: 'open', assignee: 'none' } },
  { id: 'examSoon', label: 'Exam soon', slug: 'exam-soon', query: { exam: 'soon' } },
  { id: 'snoozed', label: 'Snoozed', slug: 'snoozed', query: { status: 'snoozed' } },
  { id: 'resolved', label: 'Resolved', slug: 'resolved', query: { status: 'resolved' } },
  { id: 'all', label: 'All', slug: 'all', query: {} },
]

/** Which conversations a list shows: a tab, narrowed down. */
export interface ListFilter {
  tab: TabId
  label: string | null
  /** A user id or `none`. Null in the tabs that name an assignee themselves. */
  assignee: string | null
  unread: boolean
  /** The id of a site or `own`. */
  site: string | null
}

export const NO_FILTERS = { label: null, assignee: null, unread: false, site: null }
export const DEFAULT_FILTER: ListFilter = { tab: 'open', ...NO_FILTERS }

const tabOf = (id: TabId): Tab => TABS.find((tab) => tab.id === id) as Tab

/** Whether the tab leaves the choice of an assignee. */
export const hasAssigneeFilter = (tab: TabId): boolean => tabOf(tab).query.assignee === undefined

/** The filter in the address of a page; what it does not know is left out. */
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

/** The filter as the query of an address: `?tab=mine&unread=1`, empty for the default. */
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

/** The query of `GET /chat`. */
export function queryOf({ tab, label, assignee, unread, site }: ListFilter): ConversationsQuery {
  return {
    ...tabOf(tab).query,
    ...(label !== null && { label }),
    ...(assignee !== null && { assignee }),
    ...(unread && { unread: '1' as const }),
    ...(site !== null && { site }),
  }
}

/** Whether the server would list a conversation. Labels are compared without case. */
export function matches(
  filter: ListFilter,
  conversation: ConversationSummary,
  { userId, now }: { userId: string; now: number },
): boolean {
  const { status, assignee, label, exam, unread, site } = queryOf(filter)
  if (status !== undefined && status !== conversation.status) return false
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

/** The server's order of a list. */
export function orderOf({ tab }: ListFilter): (a: ConversationSummary, b: ConversationSummary) => number {
  return tab === 'examSoon' ? byExam : byUrgency
}

/** Longest waiting first, then newest message first. */
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

/** The filter in the address, so that back and reload keep it; and its change, a step of the history. */
export function useListFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => filterOf(params), [params])
  // Shown at once: the next change begins with this one.
  const change = (values: Partial<ListFilter>) =>
    setParams(new URLSearchParams(searchOf({ ...filter, ...values })), { flushSync: true })
  return [filter, change]
}
