import { UNSENT_ATTACHMENT_MS } from '@proctorpass/shared/limits'
import { expect, it } from 'vitest'
import { type AttachmentRecord, attachmentsOf, exceededBound, repeatedAttachment } from './attachments.ts'
import type { NewMessage } from './messages.ts'

const AT = Date.UTC(2026, 0, 5)
const CLIENT = 'Visitor0000000000001'
const message: NewMessage = {
  clientId: CLIENT,
  senderId: CLIENT,
  message: '',
  nonce: 'nonce-1',
  keyHash: 'key-1',
  at: AT,
}
const file = {
  clientId: CLIENT,
  senderId: CLIENT,
  keyHash: 'key-1',
  createdAt: AT - UNSENT_ATTACHMENT_MS + 1,
  messageNonce: null,
} as Partial<AttachmentRecord> as AttachmentRecord
const expired = { ...file, createdAt: AT - UNSENT_ATTACHMENT_MS }

it.each([
  ['a new file', file, null],
  ['no file', undefined, 'unknown-file'],
  ['a file of another conversation', { ...file, clientId: 'other' }, 'unknown-file'],
  ['a file of another sender', { ...file, senderId: 'admin-1' }, 'unknown-file'],
  ['a file of another key', { ...file, keyHash: 'key-2' }, 'unknown-file'],
  ['an expired file', expired, 'unknown-file'],
  ['a file of another message', { ...expired, messageNonce: 'nonce-2' }, 'file-used'],
  ['its own file, long after', { ...expired, messageNonce: 'nonce-1' }, null],
] as const)('a message with %s', (_what, found, problem) => {
  const files = attachmentsOf({ ...message, attachments: ['file-1'] }, () => found)
  expect(files).toEqual(problem ?? [found])
})

it('a message has its files in its order, or none of them', () => {
  const stored: Record<string, AttachmentRecord> = { 'file-1': file, 'file-2': { ...file, name: 'second' } }
  const of = (...attachments: string[]) => attachmentsOf({ ...message, attachments }, (id) => stored[id])
  expect(of('file-2', 'file-1')).toEqual([stored['file-2'], stored['file-1']])
  expect(of('file-1', 'file-3')).toBe('unknown-file')
  expect(of()).toEqual([])
})

it('an upload is the same with the same bytes and key', () => {
  const stored = { ...file, sentHash: 'hash-1' }
  expect(repeatedAttachment(stored, stored)).toEqual({ outcome: 'repeated', attachment: stored })
  expect(repeatedAttachment(stored, { ...stored, sentHash: 'hash-2' })).toEqual({ outcome: 'nonce-taken' })
  expect(repeatedAttachment(stored, { ...stored, keyHash: 'key-2' })).toEqual({ outcome: 'nonce-taken' })
})

it.each([
  ['reach the bounds', { files: 2, bytes: 10, unsentBytes: 20 }, null],
  ['are too many', { files: 3, bytes: 10, unsentBytes: 20 }, 'full'],
  ['are too large', { files: 2, bytes: 11, unsentBytes: 20 }, 'full'],
  ['are too large together with those of others', { files: 2, bytes: 10, unsentBytes: 21 }, 'no-room'],
] as const)('files that %s', (_what, totals, exceeded) => {
  const bounds = { files: 2, bytes: 10, unsentBytes: 20 }
  expect(exceededBound(totals, bounds)).toBe(exceeded)
  const ofAdmins = exceeded === 'no-room' ? null : exceeded
  expect(exceededBound(totals, { ...bounds, unsentBytes: null })).toBe(ofAdmins)
})
