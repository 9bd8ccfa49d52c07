import { UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { describe, expect, it } from 'vitest'
import { changedLabels, isChange, reverse, withChange } from './inbox-changes.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const LATER = new Date(NOW + 3_600_000).toISOString()
const EARLIER = new Date(NOW - 1).toISOString()
const ME = 'a'.repeat(24)

const before: ConversationSummary = {
  ...{
    clientId: 'a',
    adminUnread: 1,
    waitingSince: EARLIER,
    visitor: UNKNOWN_VISITOR,
    site: null,
    blockedUntil: null,
  },
  ...{ status: 'open', snoozedUntil: null, assigneeId: null, labels: ['VIP'], version: 4 },
  lastMessage: {
    ...{ _id: '1', clientId: 'a', senderId: 'a', message: 'hello', seq: 1, epoch: 'e', nonce: 'nonce-01' },
    createdAt: EARLIER,
  },
}
const snoozed = { ...before, status: 'snoozed' as const, snoozedUntil: LATER }

describe('labels', () => {
  it('are added once and keep their first writing', () => {
    expect(changedLabels(['VIP'], { added: ['vip', 'refund'], removed: [] })).toEqual(['VIP', 'refund'])
  })
  it('are removed in any writing', () => {
    expect(changedLabels(['VIP', 'refund'], { added: [], removed: ['vip'] })).toEqual(['refund'])
  })
})

it('a change is shown before the server has it', () => {
  expect(withChange(before, { status: 'resolved' })).toMatchObject({ status: 'resolved', waitingSince: null })
  expect(withChange(before, { status: 'snoozed', snoozedUntil: LATER })).toMatchObject({
    snoozedUntil: LATER,
  })
  expect(withChange(snoozed, { status: 'open' })).toMatchObject({ status: 'open', snoozedUntil: null })
  expect(withChange(snoozed, { assigneeId: ME })).toEqual({ ...snoozed, assigneeId: ME })
  const spam = { status: 'spam', snoozedUntil: null, waitingSince: null } as const
  expect(withChange(snoozed, { status: 'spam' })).toMatchObject(spam)
  expect(withChange({ ...before, ...spam }, { spam: false })).toMatchObject({ ...spam, status: 'open' })
  expect(withChange(snoozed, { spam: false })).toEqual(snoozed)
})

it('messages that need no answer no longer wait, unless a newer one has come', () => {
  expect(withChange(before, { settled: true, upTo: 1 })).toEqual({ ...before, waitingSince: null })
  const newer = { ...before, lastMessage: { ...before.lastMessage, seq: 2 } }
  expect(withChange(newer, { settled: true, upTo: 1 })).toEqual(newer)
  expect(reverse(before, { settled: true, upTo: 1 }, NOW)).toEqual({ settled: false })
})

it.each([
  [{ settled: true }, true],
  [{ status: 'open' as const }, false],
  [{ status: 'resolved' as const }, true],
  [{ assigneeId: null }, false],
  [{ assigneeId: ME }, true],
  [{ labels: ['vip'] }, false],
  [{ labels: ['VIP', 'refund'] }, true],
  [{ labels: ['refund'] }, true],
])('whether %j makes a new version', (change, expected) => {
  expect(isChange(before, change)).toBe(expected)
})

describe('undo', () => {
  it('brings back what the change touched, and nothing else', () => {
    expect(reverse(before, { status: 'resolved' }, NOW)).toEqual({ status: 'open' })
    expect(reverse(snoozed, { status: 'spam' }, NOW)).toEqual({ spam: false })
    expect(reverse({ ...before, status: 'spam' }, { spam: false }, NOW)).toEqual({ status: 'spam' })
    expect(reverse(before, { assigneeId: ME }, NOW)).toEqual({ assigneeId: null })
    expect(reverse(before, { labels: [] }, NOW)).toEqual({ labels: ['VIP'] })
  })
  it('brings back a snooze with its time, unless that has passed', () => {
    expect(reverse(snoozed, { status: 'open' }, NOW)).toEqual({ status: 'snoozed', snoozedUntil: LATER })
    expect(reverse({ ...snoozed, snoozedUntil: EARLIER }, { status: 'open' }, NOW)).toEqual({
      status: 'open',
    })
  })
})
