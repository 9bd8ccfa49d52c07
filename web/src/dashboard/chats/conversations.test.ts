import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/schemas/inbox'
import { describe, expect, test } from 'vitest'
import {
  byUrgency,
  firstPages,
  inOrder,
  keepOrder,
  keepPlace,
  type LoadedConversations,
  nextCursor,
  nextWaiting,
  withMessage,
  withUnread,
} from './conversations.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString()

function message(clientId: string, seq: number, minute: number, senderId = clientId): Message {
  return {
    _id: `${clientId}${seq}`,
    clientId,
    senderId,
    message: `${clientId} ${seq}`,
    createdAt: at(minute),
    seq,
    epoch: 'e',
    nonce: `nonce-${clientId}-${seq}`,
  }
}

function conversation(clientId: string, minute: number, waiting: number | null): ConversationSummary {
  const lastMessage = message(clientId, 5, minute, waiting === null ? 'admin' : clientId)
  return {
    ...{ clientId, adminUnread: 0, lastMessage, waitingSince: waiting === null ? null : at(waiting) },
    ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR },
  }
}

function loaded(pages: ConversationSummary[][], next: string | null = null): LoadedConversations {
  return {
    pages: pages.map((conversations, index) => ({
      conversations,
      message: null,
      next: index < pages.length - 1 ? `to ${index + 1}` : next,
    })),
    pageParams: pages.map((_, index) => (index === 0 ? null : `to ${index}`)),
  }
}

const ids = (list: readonly ConversationSummary[]) => list.map(({ clientId }) => clientId)

describe('the order', () => {
  test('is longest waiting, then newest, then by clientId', () => {
    const list = [
      conversation('old', 1, null),
      conversation('new', 9, null),
      conversation('late', 8, 8),
      conversation('same-b', 3, 3),
      conversation('same-a', 7, 3),
    ]
    expect(ids(list.sort(byUrgency))).toEqual(['same-a', 'same-b', 'late', 'new', 'old'])
  })

  test('keeps the place of an answered conversation, with what is new in it', () => {
    const placed = conversation('open', 3, 3)
    const live = conversation('open', 9, null)
    const sorted = [
      conversation('first', 1, 1),
      conversation('last', 5, 5),
      live,
      conversation('done', 2, null),
    ]
    const kept = keepPlace(sorted, live, placed)
    expect(ids(kept)).toEqual(['first', 'open', 'last', 'done'])
    expect(kept[1]).toBe(live)
    expect(ids(keepPlace(sorted.slice(0, 1), live, placed))).toEqual(['first', 'open'])
  })

  test('has each conversation once when pages overlap', () => {
    const data = loaded([
      [conversation('a', 1, 1), conversation('b', 2, 2)],
      [conversation('b', 2, 2), conversation('c', 3, 3)],
    ])
    expect(ids(inOrder(data))).toEqual(['a', 'b', 'c'])
  })

  test('stays while it is held, with new rows at the end', () => {
    const [a, b, c] = [conversation('a', 1, 1), conversation('b', 2, 2), conversation('c', 3, 3)]
    const changed = { ...a, adminUnread: 7 }
    expect(keepOrder([b, a], [c, changed, b])).toEqual([b, changed, c])
    expect(keepOrder([b, a], [c, a])).toEqual([a, c])
  })

  test('leads from one waiting conversation to the next, and from the last to the first', () => {
    const list = [conversation('a', 1, 1), conversation('b', 2, 2), conversation('c', 3, null)]
    expect(nextWaiting(list, 'a')?.clientId).toBe('b')
    expect(nextWaiting(list, 'b')?.clientId).toBe('a')
    expect(nextWaiting(list, 'c')?.clientId).toBe('a')
    expect(nextWaiting(list.slice(0, 1), 'a')).toBeUndefined()
  })
})

describe('a message', () => {
  test('of a visitor makes an answered conversation wait', () => {
    const before = loaded([[conversation('a', 1, null)]])
    const [row] = inOrder(withMessage(before, message('a', 6, 4)))
    expect(row).toMatchObject({ waitingSince: at(4), lastMessage: { seq: 6 } })
  })

  test('of a waiting visitor keeps the time of waiting', () => {
    const [row] = inOrder(withMessage(loaded([[conversation('a', 1, 1)]]), message('a', 6, 4)))
    expect(row?.waitingSince).toBe(at(1))
  })

  test('of an admin ends the waiting', () => {
    const [row] = inOrder(withMessage(loaded([[conversation('a', 1, 1)]]), message('a', 6, 4, 'admin')))
    expect(row?.waitingSince).toBeNull()
  })

  test('that is old, of another epoch or behind a gap changes nothing', () => {
    const before = loaded([[conversation('a', 1, null)]])
    expect(withMessage(before, message('a', 5, 1))).toBe(before)
    expect(withMessage(before, { ...message('a', 6, 4), epoch: 'other' })).toBe(before)
    expect(withMessage(before, message('a', 7, 4))).toBe(before)
  })

  test('adds the conversation it starts, unless it belongs below the loaded pages', () => {
    const first = message('z', 1, 9)
    const added = {
      ...{ clientId: 'z', adminUnread: 1, lastMessage: first, waitingSince: at(9) },
      ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR },
    }
    expect(inOrder(withMessage(loaded([[conversation('a', 1, 1)]]), first))[1]).toEqual(added)
    expect(inOrder(withMessage(loaded([[]]), first))).toEqual([added])
    const goesOn = loaded([[conversation('a', 1, 1)]], 'more')
    expect(withMessage(goesOn, first)).toBe(goesOn)
    const unknown = loaded([[conversation('a', 1, 1)]])
    expect(withMessage(unknown, message('z', 2, 9))).toBe(unknown)
  })
})

test('an unread fact changes only the count of its row', () => {
  const before = loaded([[conversation('a', 1, 1)], [conversation('b', 2, 2)]])
  const after = withUnread(before, { clientId: 'b', adminUnread: 3, totalAdminUnread: 9 })
  expect(inOrder(after).map(({ adminUnread }) => adminUnread)).toEqual([0, 3])
  expect(after.pages[0]).toBe(before.pages[0])
})

test('a refetch covers the visible pages', () => {
  const data = loaded([[conversation('a', 1, 1)], [conversation('b', 2, 2)], [conversation('c', 3, 3)]])
  expect(firstPages(data, 0).pageParams).toEqual([null])
  expect(firstPages(data, 2).pageParams).toEqual([null, 'to 1'])
  expect(firstPages(data, 99)).toBe(data)
})

test('the cursor of the next page is taken from the Link header', () => {
  expect(nextCursor(null)).toBeNull()
  expect(nextCursor('</api/chat?limit=2&cursor=a%2Bb>; rel="next"')).toBe('a+b')
  expect(nextCursor('<https://example.com/api/chat?cursor=x>; rel=next')).toBe('x')
  expect(nextCursor('</api/chat?cursor=x>; rel="prev"')).toBeNull()
})
