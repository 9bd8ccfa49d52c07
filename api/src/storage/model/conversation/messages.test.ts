import { describe, expect, it } from 'vitest'
import { FOREVER } from './blocks-and-ratings.ts'
import { type Head, isRepeated, type NewMessage, nextMessage, refusedEntry, refusedNew } from './messages.ts'

const AT = Date.UTC(2026, 0, 5)
const CLIENT = 'Visitor0000000000001'
const KEY = 'key-1'
const fromVisitor: NewMessage = {
  clientId: CLIENT,
  senderId: CLIENT,
  message: 'hello',
  nonce: 'nonce-1',
  keyHash: KEY,
  at: AT,
}
const fromAdmin: NewMessage = { ...fromVisitor, senderId: 'admin-1', keyHash: null }
const head: Head = { epoch: 'epoch-1', seq: 3, keyHashes: [KEY], lastAt: 5, visitorCount: 2, waitingSince: 4 }

describe('a message is refused', () => {
  it('for a wrong key before a stale epoch', () => {
    const stale = { ...fromVisitor, epoch: 'epoch-0' }
    expect(refusedEntry(head, { ...stale, keyHash: 'other' })).toBe('wrong-key')
    expect(refusedEntry(head, stale)).toBe('stale-epoch')
    expect(refusedEntry(head, { ...fromAdmin, epoch: 'epoch-0' })).toBe('stale-epoch')
    expect(refusedEntry(head, { ...fromVisitor, epoch: 'epoch-1' })).toBeNull()
    expect(refusedEntry(head, fromAdmin)).toBeNull()
  })

  it('for a block before a full conversation, and never from an admin', () => {
    const limited = { visitorMessagesMax: 2 }
    const blocked = { blockedUntil: FOREVER, visitorCount: 2 }
    expect(refusedNew(blocked, { ...fromVisitor, ...limited })).toBe('blocked')
    expect(refusedNew({ ...blocked, blockedUntil: AT }, { ...fromVisitor, ...limited })).toBe('full')
    expect(
      refusedNew({ ...blocked, blockedUntil: null }, { ...fromVisitor, visitorMessagesMax: 3 }),
    ).toBeNull()
    expect(refusedNew(blocked, { ...fromAdmin, ...limited })).toBeNull()
  })
})

describe('the next message', () => {
  it('of the visitor waits since the first one that waits', () => {
    const totals = { epoch: 'epoch-1', seq: 4, createdAt: AT, visitorCount: 3 }
    expect(nextMessage(head, fromVisitor).message).toMatchObject({ ...totals, waitingSince: 4 })
    const answered = { ...head, waitingSince: null }
    expect(nextMessage(answered, fromVisitor).message).toMatchObject({ ...totals, waitingSince: AT })
  })

  it('of an admin ends the wait', () => {
    expect(nextMessage(head, fromAdmin).message).toMatchObject({ visitorCount: 2, waitingSince: null })
  })

  it('is never dated before its predecessor', () => {
    expect(nextMessage({ ...head, lastAt: AT + 1 }, fromVisitor).message.createdAt).toBe(AT + 1)
  })

  it('adds the first key of the visitor only', () => {
    const open = { ...head, keyHashes: [] }
    expect(nextMessage(open, fromVisitor)).toMatchObject({ keyAdded: true, keyHashes: [KEY] })
    expect(nextMessage(open, { ...fromAdmin, keyHash: KEY })).toMatchObject({
      keyAdded: false,
      keyHashes: [],
    })
    expect(nextMessage(open, { ...fromVisitor, keyHash: null })).toMatchObject({
      keyAdded: false,
      keyHashes: [],
    })
    expect(nextMessage(head, fromVisitor)).toMatchObject({ keyAdded: false, keyHashes: [KEY] })
  })
})

it('a message is repeated with the same sender, text and files', () => {
  const stored = { senderId: CLIENT, message: 'hello', attachments: null }
  expect(isRepeated(stored, fromVisitor)).toBe(true)
  expect(isRepeated(stored, fromAdmin)).toBe(false)
  expect(isRepeated(stored, { ...fromVisitor, message: 'hi' })).toBe(false)
  expect(isRepeated(stored, { ...fromVisitor, attachments: ['file-1'] })).toBe(false)
})
