import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import { describe, expect, test } from 'vitest'
import {
  afterEdit,
  afterMessage,
  find,
  firstPages,
  inOrder,
  keepOrder,
  keepPlace,
  type LoadedConversations,
  newest,
  nextCursor,
  nextWaiting,
  withSummaries,
} from './conversations.ts'
import { byUrgency } from './filters.ts'

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
    ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR, site: null, blockedUntil: null },
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

  test('keeps the place of an answered conversation, with its new messages', () => {
    const placed = conversation('open', 3, 3)
    const live = conversation('open', 9, null)
    const sorted = [
      conversation('first', 1, 1),
      conversation('last', 5, 5),
      live,
      conversation('done', 2, null),
    ]
    const kept = keepPlace(sorted, live, placed, byUrgency)
    expect(ids(kept)).toEqual(['first', 'open', 'last', 'done'])
    expect(kept[1]).toBe(live)
    expect(ids(keepPlace(sorted.slice(0, 1), live, placed, byUrgency))).toEqual(['first', 'open'])
  })

  test('has each conversation once when pages overlap', () => {
    const data = loaded([
      [conversation('a', 1, 1), conversation('b', 2, 2)],
      [conversation('b', 2, 2), conversation('c', 3, 3)],
    ])
    expect(ids(inOrder(data, byUrgency))).toEqual(['a', 'b', 'c'])
  })

  test('stays while it is held, with new rows at the end and those that left', () => {
    const [a, b, c] = [conversation('a', 1, 1), conversation('b', 2, 2), conversation('c', 3, 3)]
    const changed = { ...a, adminUnread: 7 }
    expect(keepOrder([b, a], [c, changed, b])).toEqual([b, changed, c])
    expect(keepOrder([b, a], [c, a])).toEqual([b, a, c])
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
    const after = afterMessage(conversation('a', 1, null), message('a', 6, 4))
    expect(after).toMatchObject({ waitingSince: at(4), lastMessage: { seq: 6 } })
  })

  test('of a waiting visitor keeps the time of waiting', () => {
    expect(afterMessage(conversation('a', 1, 1), message('a', 6, 4))?.waitingSince).toBe(at(1))
  })

  test('of an admin ends the waiting', () => {
    expect(afterMessage(conversation('a', 1, 1), message('a', 6, 4, 'admin'))?.waitingSince).toBeNull()
  })

  test('that is old, of another epoch or behind a gap says nothing', () => {
    const known = conversation('a', 1, null)
    expect(afterMessage(known, message('a', 5, 1))).toBeNull()
    expect(afterMessage(known, { ...message('a', 6, 4), epoch: 'other' })).toBeNull()
    expect(afterMessage(known, message('a', 7, 4))).toBeNull()
  })

  test('begins a conversation when it is the first one', () => {
    const first = message('z', 1, 9)
    expect(afterMessage(undefined, first)).toEqual({
      ...{ clientId: 'z', adminUnread: 1, lastMessage: first, waitingSince: at(9) },
      ...{ ...NEW_INBOX_STATE, visitor: UNKNOWN_VISITOR, site: null, blockedUntil: null },
    })
    expect(afterMessage(undefined, message('z', 2, 9))).toBeNull()
  })
})

describe('a correction', () => {
  const known = conversation('a', 1, null)
  const edited = { ...known.lastMessage, message: 'new words', edit: 2 }

  test('changes the newest message alone, and only to newer words', () => {
    expect(afterEdit(known, edited)).toEqual({ ...known, lastMessage: edited })
    const after = { ...known, lastMessage: edited }
    expect(afterEdit(after, { ...edited, edit: 1 })).toBeNull()
    expect(afterEdit(known, { ...edited, seq: edited.seq - 1 })).toBeNull()
    expect(afterEdit(known, { ...edited, epoch: 'other' })).toBeNull()
    // An answer from before the correction.
    expect(newest(after, { ...known, version: known.version + 1 })).toMatchObject({
      version: known.version + 1,
      lastMessage: edited,
    })
  })
})

describe('a summary', () => {
  const open = { isMatch: ({ status }: ConversationSummary) => status === 'open', order: byUrgency }
  const a = conversation('a', 1, 1)
  const b = conversation('b', 2, 2)

  test('replaces its row and leaves other pages as they are', () => {
    const before = loaded([[a], [b]])
    const after = withSummaries(before, [{ ...b, adminUnread: 3 }], open)
    expect(inOrder(after, byUrgency).map(({ adminUnread }) => adminUnread)).toEqual([0, 3])
    expect(after.pages[0]).toBe(before.pages[0])
  })

  test('takes its row out when it no longer matches', () => {
    const after = withSummaries(loaded([[a], [b]]), [{ ...a, status: 'resolved', version: 1 }], open)
    expect(ids(inOrder(after, byUrgency))).toEqual(['b'])
  })

  test('enters when it matches, unless it belongs below the loaded pages', () => {
    expect(ids(inOrder(withSummaries(loaded([[b]]), [a], open), byUrgency))).toEqual(['a', 'b'])
    expect(ids(inOrder(withSummaries(loaded([[]]), [a], open), byUrgency))).toEqual(['a'])
    const goesOn = loaded([[a]], 'more')
    expect(withSummaries(goesOn, [b], open)).toBe(goesOn)
    const other = loaded([[b]])
    expect(withSummaries(other, [{ ...a, status: 'snoozed' }], open)).toBe(other)
  })

  test('of an older version changes no state, and one of an older message no message', () => {
    const known = { ...conversation('a', 9, null), version: 4, assigneeId: 'me' }
    const older = { ...conversation('a', 1, 1), version: 3, lastMessage: message('a', 4, 1) }
    expect(newest(known, older)).toEqual(known)
    expect(newest(known, { ...older, version: 5, status: 'resolved' })).toMatchObject({
      ...{ status: 'resolved', version: 5, assigneeId: null },
      ...{ lastMessage: known.lastMessage, waitingSince: null },
    })
  })

  test('is found on any page', () => {
    expect(find(loaded([[a], [b]]), 'b')).toBe(b)
    expect(find(loaded([[a]]), 'b')).toBeUndefined()
  })
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
