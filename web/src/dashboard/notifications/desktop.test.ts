import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { describe, expect, it } from 'vitest'
import { dueTime } from './desktop.ts'

const CLIENT_ID = 'a'.repeat(20)
const AT = '2026-11-22T10:00:00.000Z'
const seconds = (count: number) => Date.parse(AT) + count * 1_000

const waiting = (assigneeId: string | null): ConversationSummary => ({
  clientId: CLIENT_ID,
  adminUnread: 1,
  lastMessage: {
    ...{ _id: 'm', clientId: CLIENT_ID, senderId: CLIENT_ID, message: 'hello', createdAt: AT },
    ...{ seq: 1, epoch: 'e', nonce: 'n' },
  },
  waitingSince: AT,
  ...NEW_INBOX_STATE,
  assigneeId,
  visitor: UNKNOWN_VISITOR,
  site: null,
  blockedUntil: null,
})

const admin = (userId: string, changed: Partial<TeamAdmin> = {}): TeamAdmin => ({
  ...{ userId, userName: userId, displayName: null, face: null, online: true },
  ...{ onDuty: true, disabled: false, invited: false, you: userId === 'me' },
  ...changed,
})

const dueFor = (assigneeId: string | null, other: Partial<TeamAdmin> = {}) =>
  dueTime(waiting(assigneeId), {
    userId: 'me',
    admins: [admin('me'), admin('other', other)],
    afterMs: 60_000,
  })

describe('an unread message notifies', () => {
  it.each([
    ['every admin after 10 seconds while it is unassigned', 10, dueFor(null)],
    ['its assignee after 10 seconds', 10, dueFor('me')],
    ['the others after the escalation', 60, dueFor('other')],
    ['the others at once when the assignee is off duty', 10, dueFor('other', { onDuty: false })],
    ['the others at once when the assignee is disabled', 10, dueFor('other', { disabled: true })],
    ['the others at once when the assignee is unknown', 10, dueFor('gone')],
  ])('%s', (_title, after, due) => {
    expect(due).toBe(seconds(after))
  })
})
