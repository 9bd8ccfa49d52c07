import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { expect, test } from 'vitest'
import { changeWords } from './activity-words.ts'

const [ME, ANNA, BEN] = ['me', 'anna', 'ben']
const NAMES: Record<string, string> = { me: 'You', anna: 'Anna', ben: 'Ben' }
const words = {
  visitor: 'Maria',
  userId: ME,
  nameOf: (id: string) => NAMES[id] ?? 'Admin',
  timeOf: (iso: string) => `<${iso}>`,
}
const NINE = '2026-11-22T09:00:00.000Z'
const TEN = '2026-11-22T10:00:00.000Z'

type Change = Exclude<Activity, { kind: 'note' }>
const entry = (kind: Change['kind'], by: string | null, data: unknown, at = TEN) =>
  ({ _id: 'id', clientId: 'visitor', n: 2, afterSeq: 1, kind, by, at, data }) as Change

test.each<[string, Change]>([
  ['Anna resolved this', entry('status', ANNA, { from: 'open', to: 'resolved' })],
  ['You reopened this', entry('status', ME, { from: 'resolved', to: 'open' })],
  [`You snoozed this until <${TEN}>`, entry('status', ME, { from: 'open', to: 'snoozed', until: TEN })],
  ['Anna ended the snooze', entry('status', ANNA, { from: 'snoozed', to: 'open' })],
  ['Reopened by a new message', entry('status', null, { from: 'resolved', to: 'open' })],
  ['Anna marked this as spam', entry('status', ANNA, { from: 'open', to: 'spam' })],
  ['You marked this as not spam', entry('status', ME, { from: 'spam', to: 'resolved' })],
  ['You took this conversation', entry('assignee', ME, { from: null, to: ME })],
  ['Anna took this conversation', entry('assignee', ANNA, { from: ME, to: ANNA })],
  ['Anna assigned this to you', entry('assignee', ANNA, { from: null, to: ME })],
  ['You assigned this to Ben', entry('assignee', ME, { from: null, to: BEN })],
  ['You unassigned Ben', entry('assignee', ME, { from: BEN, to: null })],
  ['Anna unassigned this conversation', entry('assignee', ANNA, { from: ANNA, to: null })],
  ['Anna added Refund', entry('labels', ANNA, { added: ['Refund'], removed: [] })],
  ['You added A and B and removed C', entry('labels', ME, { added: ['A', 'B'], removed: ['C'] })],
  [`Anna scheduled a message for <${TEN}>`, entry('scheduled', ANNA, { action: 'created', sendAt: TEN })],
  [
    `You changed the message scheduled for <${TEN}>`,
    entry('scheduled', ME, { action: 'changed', sendAt: TEN }),
  ],
  [
    `You canceled the message scheduled for <${TEN}>: “Hi”`,
    entry('scheduled', ME, { action: 'canceled', sendAt: TEN, reason: 'admin', text: 'Hi' }),
  ],
  [
    `Maria wrote first, so the message scheduled for <${TEN}> was canceled: “Hi”`,
    entry('scheduled', null, { action: 'canceled', sendAt: TEN, reason: 'visitor', text: 'Hi' }),
  ],
  [
    `The message scheduled for <${TEN}> was not sent, because it was too late`,
    entry('scheduled', null, { action: 'canceled', sendAt: TEN, reason: 'late', text: '' }),
  ],
  ['Anna blocked the visitor', entry('block', ANNA, { until: 'forever' })],
  ['Anna unblocked the visitor', entry('block', ANNA, { until: null })],
  ['Maria shared their name and exam time', entry('profile', null, { fields: ['name', 'examAt'] })],
  ["You changed the visitor's email", entry('profile', ME, { fields: ['email'] })],
  ['Maria rated this 4 of 5: “Good”', entry('rating', null, { score: 4, words: 'Good' })],
  ['Files left out: a.zip, 2 more', entry('mail', null, { leftOut: ['a.zip', '2 more'] })],
])('%s', (expected, change) => {
  expect(changeWords(change, undefined, words)).toBe(expected)
})

test('a snooze that is over ended, and before that a message ended it', () => {
  const opened = entry('status', null, { from: 'snoozed', to: 'open' })
  const until = (time: string) => entry('status', ME, { from: 'open', to: 'snoozed', until: time }, NINE)
  expect(changeWords(opened, until(TEN), words)).toBe('Snooze ended')
  expect(changeWords(opened, until('2026-11-23T09:00:00.000Z'), words)).toBe('Reopened by a new message')
})
