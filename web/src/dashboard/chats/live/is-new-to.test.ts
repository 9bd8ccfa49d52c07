import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { expect, test } from 'vitest'
import { isNewTo } from './is-new-to.ts'

const NOW = Date.UTC(2026, 0, 20)
const ME = 'a'.repeat(24)
const CLIENT = 'v'.padEnd(20, '0')

function summary(fields: Partial<ConversationSummary>, senderId = CLIENT, age = 1_000): ConversationSummary {
  const createdAt = new Date(NOW - age).toISOString()
  const message = { _id: '1', clientId: CLIENT, senderId, message: 'hello', nonce: 'nonce-01' }
  return {
    ...{
      clientId: CLIENT,
      adminUnread: 0,
      waitingSince: null,
      visitor: UNKNOWN_VISITOR,
      site: null,
      blockedUntil: null,
    },
    ...{ ...NEW_INBOX_STATE, lastMessage: { ...message, createdAt, seq: 3, epoch: 'e' }, seen: 2, ...fields },
  }
}

test.each<[string, ConversationSummary, boolean]>([
  ['messages after the own mark', summary({}), true],
  ['what another admin wrote', summary({}, 'b'.repeat(24)), true],
  ['not seen messages', summary({ seen: 3 }), false],
  ['not the own words', summary({}, ME), false],
  ['what is marked as unread below the own words', summary({ seen: 1 }, ME), true],
  ['not the own words where nothing was ever seen', summary({ seen: 0 }, ME), false],
  ['not resolved ones', summary({ status: 'resolved' }), false],
  ['not ones older than a week', summary({}, CLIENT, 8 * 86_400_000), false],
  ['what no admin has read, however old', summary({ adminUnread: 1 }, CLIENT, 8 * 86_400_000), true],
  ['not a fact, which has no mark', summary({ seen: undefined }), false],
])('new to an admin is %s', (_what, conversation, isNew) => {
  expect(isNewTo(ME, conversation, NOW)).toBe(isNew)
})
