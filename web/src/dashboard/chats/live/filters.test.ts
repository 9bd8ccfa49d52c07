import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { describe, expect, it } from 'vitest'
import { DEFAULT_FILTER, filterOf, type ListFilter, matches, orderOf, queryOf, searchOf } from './filters.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const HOUR = 3_600_000
const ME = 'a'.repeat(24)
const OTHER = 'b'.repeat(24)

function conversation(change: Partial<ConversationSummary>): ConversationSummary {
  const clientId = 'visitor0000000000001'
  return {
    ...{ clientId, adminUnread: 0, waitingSince: null },
    ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR, site: null, blockedUntil: null },
    lastMessage: {
      ...{ _id: '1', clientId, senderId: clientId, message: 'hello', seq: 1, epoch: 'e', nonce: 'nonce-01' },
      createdAt: new Date(NOW).toISOString(),
    },
    ...change,
  }
}

const examIn = (ms: number) => ({ ...UNKNOWN_VISITOR, examAt: new Date(NOW + ms).toISOString() })
const filter = (change: Partial<ListFilter>): ListFilter => ({ ...DEFAULT_FILTER, ...change })

describe('the address', () => {
  it.each([
    ['', filter({})],
    ['?tab=mine', filter({ tab: 'mine' })],
    ['?tab=exam-soon&unread=1', filter({ tab: 'examSoon', unread: true })],
    [`?tab=all&label=re+fund&assignee=${OTHER}`, filter({ tab: 'all', label: 're fund', assignee: OTHER })],
  ])('%j keeps the filter', (search, expected) => {
    expect(filterOf(new URLSearchParams(search))).toEqual(expected)
    expect(searchOf(expected)).toBe(search)
  })

  it('leaves out what it does not know, and an assignee where the tab names one', () => {
    expect(filterOf(new URLSearchParams('?tab=bogus&unread=yes&label='))).toEqual(DEFAULT_FILTER)
    expect(filterOf(new URLSearchParams(`?tab=mine&assignee=${OTHER}`)).assignee).toBeNull()
    expect(searchOf(filter({ tab: 'unassigned', assignee: OTHER }))).toBe('?tab=unassigned')
  })
})

it('the query combines the tab and the filters', () => {
  expect(queryOf(filter({ tab: 'mine', label: 'vip', unread: true }))).toEqual({
    ...{ status: 'open', assignee: 'me', label: 'vip', unread: '1' },
  })
  expect(queryOf(filter({ tab: 'all' }))).toEqual({})
  expect(queryOf(filter({ tab: 'spam' }))).toEqual({ status: 'spam' })
})

describe('a list holds', () => {
  it.each<[string, Partial<ListFilter>, Partial<ConversationSummary>, boolean]>([
    ['open ones', {}, {}, true],
    ['no snoozed ones in Open', {}, { status: 'snoozed' }, false],
    ['no spam in All', { tab: 'all' }, { status: 'spam' }, false],
    ['spam in Spam', { tab: 'spam' }, { status: 'spam' }, true],
    ['no others in Spam', { tab: 'spam' }, {}, false],
    ['my own in Mine', { tab: 'mine' }, { assigneeId: ME }, true],
    ["no one else's in Mine", { tab: 'mine' }, { assigneeId: OTHER }, false],
    ['no resolved ones in Mine', { tab: 'mine' }, { assigneeId: ME, status: 'resolved' }, false],
    ['those without assignee in Unassigned', { tab: 'unassigned' }, {}, true],
    ['no assigned ones in Unassigned', { tab: 'unassigned' }, { assigneeId: ME }, false],
    ['everything in All', { tab: 'all' }, { status: 'resolved' }, true],
    ['exams of today', { tab: 'examSoon' }, { visitor: examIn(3 * HOUR) }, true],
    ['snoozed exams of today', { tab: 'examSoon' }, { visitor: examIn(HOUR), status: 'snoozed' }, true],
    ['no exams of next week', { tab: 'examSoon' }, { visitor: examIn(200 * HOUR) }, false],
    ['no resolved exams', { tab: 'examSoon' }, { visitor: examIn(HOUR), status: 'resolved' }, false],
    ['no conversation without an exam in Exam soon', { tab: 'examSoon' }, {}, false],
    ['a label in any case', { label: 'vip' }, { labels: ['VIP'] }, true],
    ['no other labels', { label: 'vip' }, { labels: ['refund'] }, false],
    ['unread ones', { unread: true }, { adminUnread: 2 }, true],
    ['no read ones', { unread: true }, { adminUnread: 0 }, false],
    ["another admin's", { tab: 'all', assignee: OTHER }, { assigneeId: OTHER }, true],
    ['none with another assignee', { tab: 'all', assignee: OTHER }, { assigneeId: ME }, false],
    ['unassigned ones of All', { tab: 'all', assignee: 'none' }, {}, true],
  ])('%s', (_, change, summary, expected) => {
    expect(matches(filter(change), conversation(summary), { userId: ME, now: NOW })).toBe(expected)
  })
})

it('exams are in order of their time, soonest first', () => {
  const [late, soon] = [
    conversation({ clientId: 'a', visitor: examIn(9 * HOUR) }),
    conversation({ clientId: 'b', visitor: examIn(2 * HOUR) }),
  ]
  expect([late, soon].sort(orderOf(filter({ tab: 'examSoon' }))).map(({ clientId }) => clientId)).toEqual([
    'b',
    'a',
  ])
})
