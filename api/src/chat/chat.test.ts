import { AppError } from '@proctorpass/shared/errors'
import type { ConversationRead, UnreadChanged } from '@proctorpass/shared/events'
import { MESSAGE_MAX } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdminCaller, VisitorCaller } from '../auth/caller.ts'
import { createCounters } from '../limits/counters.ts'
import { createLimits } from '../limits/limits.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { type Chat, createChat } from './chat.ts'
import { IGNORE_FACTS } from './listeners.ts'
import { VISITOR_MESSAGES_MAX } from './send.ts'

const visitor: VisitorCaller = {
  side: 'visitor',
  clientId: 'Visitor0000000000001',
  keyHash: null,
  address: '127.0.0.1',
}
const other: VisitorCaller = { ...visitor, clientId: 'Visitor0000000000002' }
const admin: AdminCaller = {
  side: 'admin',
  address: '127.0.0.1',
  userId: 'a'.repeat(24),
  userName: 'admin',
  sid: 'session',
}

const WORDS = {
  brand: 'Brand',
  supportEmail: 'support@example.com',
  settings: { current: async () => ({ ...DEFAULT_SETTINGS, rating: true }) },
}

// Created for each test: facts of the previous one may still arrive.
let taken: string[]
let created: { message: Message; except: string | undefined; keyHashes: readonly string[] }[]
const NO_ATTACHMENTS = { removeOf: async () => {} }
let read: ConversationRead[]
let keyed: [clientId: string, keyHashes: readonly string[]][]
let unread: UnreadChanged[]
let sentToPeers: [clientId: string, adminUnread: number][][]
let storage: Storage
let chat: Chat

beforeEach(() => {
  const lists = {
    taken: [] as typeof taken,
    created: [] as typeof created,
    read: [] as typeof read,
    keyed: [] as typeof keyed,
    unread: [] as typeof unread,
    sentToPeers: [] as typeof sentToPeers,
  }
  ;({ taken, created, read, keyed, unread, sentToPeers } = lists)
  storage = openSqlite(':memory:')
  chat = createChat({
    ...WORDS,
    attachments: NO_ATTACHMENTS,
    storage,
    transport: 'push',
    limits: {
      async take(kind, key) {
        lists.taken.push(`${kind} ${key}`)
        return null
      },
      async charge(kind, key, points) {
        lists.taken.push(`${kind} ${key} ${points}`)
        return null
      },
      refund: async () => {},
    },
  })
  chat.listen({
    ...IGNORE_FACTS,
    messageCreated: (message, except, keyHashes) => lists.created.push({ message, except, keyHashes }),
    conversationRead: (fact) => lists.read.push(fact),
    keyAdded: (clientId, keyHashes) => lists.keyed.push([clientId, keyHashes]),
    unreadChanged: (fact) => lists.unread.push(fact),
    unreadChangedLocally: (counts) => lists.sentToPeers.push(counts),
  })
})
afterEach(() => storage.close())

const send = (text: string, nonce?: string) =>
  chat.send(visitor, { clientId: visitor.clientId, message: text, nonce })

describe('storage by visitors', () => {
  const limited = () => {
    const limits = createLimits({ enabled: true, counters: createCounters(null) })
    return createChat({ ...WORDS, attachments: NO_ATTACHMENTS, storage, transport: 'push', limits })
  }
  const long = '\u{1F600}'.repeat(MESSAGE_MAX)
  const caller = (number: number, address: string): VisitorCaller => ({
    side: 'visitor',
    clientId: `Visitor${String(number).padStart(13, '0')}`,
    keyHash: null,
    address,
  })

  it('is limited to about 20 MB per hour and address, and the error has a time to retry', async () => {
    const chat = limited()
    let bytes = 0
    const fill = async () => {
      for (let number = 100; ; number++) {
        const from = caller(number, '203.0.113.7')
        for (let count = 0; count < 100; count++) {
          await chat.send(from, { clientId: from.clientId, message: long })
          bytes += Buffer.byteLength(long)
        }
      }
    }
    const error = await fill().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'rate-limited', message: expect.stringContaining('your network') })
    expect((error as AppError).retryAfterMs).toBeGreaterThan(1_800_000)
    expect(bytes).toBeGreaterThan(15e6)
    expect(bytes).toBeLessThan(21e6)
    const neighbor = caller(900, '203.0.113.8')
    await chat.send(neighbor, { clientId: neighbor.clientId, message: long })
    await chat.send(admin, { clientId: neighbor.clientId, message: long })
  })

  it('is limited to VISITOR_MESSAGES_MAX messages per conversation; admins are not limited', async () => {
    const { append } = storage.messages
    // As if all but three of the messages were stored already.
    storage.messages.append = (message) =>
      append({ ...message, visitorMessagesMax: (message.visitorMessagesMax ?? 0) - VISITOR_MESSAGES_MAX + 3 })
    for (const text of ['one', 'two', 'three']) await send(text)
    await expect(send('one more')).rejects.toMatchObject({ code: 'too-large', retryable: false })
    await chat.send(admin, { clientId: visitor.clientId, message: 'Email us instead.' })
  })
})

describe('send', () => {
  it('stores the text without empty ends, with the caller as its sender', async () => {
    const { message } = await send('\n  if x:\n    y()\n')
    expect(message).toMatchObject({ message: '  if x:\n    y()', senderId: visitor.clientId, seq: 1 })
    const reply = await chat.send(admin, { clientId: visitor.clientId, message: 'hi' })
    expect(reply.message).toMatchObject({ senderId: admin.userId, seq: 2 })
  })

  it.each([
    ['nothing', '', 'Message is required'],
    ['white space', ' \n\u3000 ', 'Message is required'],
    ['a blank symbol', '\u2800', 'Message is required'],
    ['invisible characters', '\u200b\u200d', 'Message is required'],
    ['one character too many', 'x'.repeat(MESSAGE_MAX + 1), 'A message can have up to 4,000 characters.'],
    ['one emoji too many', '😀'.repeat(MESSAGE_MAX + 1), 'A message can have up to 4,000 characters.'],
    ['NUL', 'a\0b', "This message contains characters that can't be sent. Type it again."],
    [
      'half a surrogate pair',
      'a\ud83d',
      "This message contains characters that can't be sent. Type it again.",
    ],
  ])('refuses %s', async (_name, text, message) => {
    await expect(send(text)).rejects.toMatchObject({
      code: 'invalid-input',
      retryable: false,
      message,
      details: [{ field: 'message' }],
    })
    expect(await storage.conversations.find(visitor.clientId)).toBeNull()
  })

  it('counts code points, not UTF-16 units: 4,000 emoji fit', async () => {
    const text = '😀'.repeat(MESSAGE_MAX)
    expect((await send(text)).message.message).toBe(text)
  })

  it('refuses another conversation and another sender', async () => {
    await expect(chat.send(visitor, { clientId: other.clientId, message: 'x' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const input = { clientId: visitor.clientId, message: 'x', senderId: admin.userId }
    await expect(chat.send(visitor, input)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(chat.send(admin, { ...input, senderId: visitor.clientId })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('answers a repeated nonce with the stored message and notifies no listener again', async () => {
    const first = await send('once', 'nonce-1234')
    await vi.waitFor(() => expect(created).toHaveLength(1))
    const again = await send('once', 'nonce-1234')
    expect(again).toEqual({ message: first.message, repeated: true })
    await send('next')
    await vi.waitFor(() => expect(created.map(({ message }) => message.message)).toEqual(['once', 'next']))
  })

  it('refuses another text with the same nonce as a conflict', async () => {
    await send('one', 'nonce-1234')
    await expect(send('two', 'nonce-1234')).rejects.toMatchObject({ code: 'conflict', status: 409 })
  })

  it('refuses an old epoch', async () => {
    const { message } = await send('one')
    await storage.conversations.erase(visitor.clientId)
    await expect(
      chat.send(visitor, { clientId: visitor.clientId, message: 'two', epoch: message.epoch }),
    ).rejects.toMatchObject({ code: 'stale-epoch', status: 409 })
  })

  it('notifies after the sender was answered, and excludes the connection that sent', async () => {
    const order: string[] = []
    chat.listen({
      ...IGNORE_FACTS,
      messageCreated: () => order.push('notified'),
    })
    await chat.send({ ...visitor, connection: 'socket-1' }, { clientId: visitor.clientId, message: 'x' })
    order.push('answered')
    await vi.waitFor(() => expect(order).toEqual(['answered', 'notified']))
    expect(created[0]?.except).toBe('socket-1')
  })

  it('takes from the limits for every send of a visitor, and by address for a new conversation', async () => {
    const { message } = await send('one')
    expect(taken).toEqual([`send ${visitor.clientId}`, 'conversation 127.0.0.1', 'stored 127.0.0.1'])
    await chat.send(visitor, { clientId: visitor.clientId, message: 'two', epoch: message.epoch })
    await send('three')
    await chat.send(admin, { clientId: visitor.clientId, message: 'hi' })
    expect(taken.filter((key) => key.startsWith('conversation'))).toHaveLength(1)
    expect(taken.filter((key) => key.startsWith('send'))).toHaveLength(3)
  })

  it('stores nothing once a limit is used up', async () => {
    const limited = createChat({
      ...WORDS,
      attachments: NO_ATTACHMENTS,
      storage,
      transport: 'push',
      limits: {
        take: async () => Promise.reject(new AppError('rate-limited', 'Slow down.')),
        charge: async () => null,
        refund: async () => {},
      },
    })
    await expect(limited.send(visitor, { clientId: visitor.clientId, message: 'x' })).rejects.toMatchObject({
      code: 'rate-limited',
    })
    expect(await storage.conversations.find(visitor.clientId)).toBeNull()
  })
})

describe('page', () => {
  it('is empty for a conversation that does not exist, and creates none', async () => {
    expect(await chat.page(visitor, visitor.clientId, {})).toEqual({
      messages: [],
      seq: 0,
      epoch: '',
      more: false,
      read: { visitor: 0, admin: 0 },
      transport: 'push',
    })
    expect((await chat.conversations(admin, {})).conversations).toEqual([])
  })

  it('has no other fields', async () => {
    await send('one')
    expect(Object.keys(await chat.page(visitor, visitor.clientId, { after: 1 }))).toEqual([
      'messages',
      'seq',
      'epoch',
      'more',
      'read',
      'transport',
    ])
  })

  it('is refused to other visitors', async () => {
    await expect(chat.page(other, visitor.clientId, {})).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('marks its messages as read by an admin only with markRead', async () => {
    await send('one')
    await send('two')
    expect((await chat.page(admin, visitor.clientId, {})).read.admin).toBe(0)
    const page = await chat.page(admin, visitor.clientId, {}, { markRead: true })
    expect(page.read.admin).toBe(2)
    expect(await chat.unreadCount(admin)).toEqual({ totalAdminUnread: 0 })
    await vi.waitFor(() => expect(read).toEqual([{ clientId: visitor.clientId, by: 'admin', seq: 2 }]))
  })
})

describe('a visitor key', () => {
  const mine: VisitorCaller = { ...visitor, keyHash: 'my-hash' }
  const strangers: VisitorCaller[] = [visitor, { ...visitor, keyHash: 'another-hash' }]
  const { clientId } = visitor

  it('is checked in every use case, and a wrong one is charged to the address only', async () => {
    await chat.send(mine, { clientId, message: 'one', nonce: 'the-same-nonce' })
    await chat.send(admin, { clientId, message: 'a reply' })
    for (const stranger of strangers) {
      const attempts: (() => Promise<unknown>)[] = [
        () => chat.send(stranger, { clientId, message: 'two' }),
        () => chat.send(stranger, { clientId, message: 'one', nonce: 'the-same-nonce' }),
        () => chat.send(stranger, { clientId, message: 'x', nonce: 'the-same-nonce' }),
        () => chat.send(stranger, { clientId, message: 'two', epoch: 'old' }),
        () => chat.page(stranger, clientId, {}),
        () => chat.page(stranger, clientId, { after: 2 }),
        () => chat.markRead(stranger, clientId, 2),
        () => chat.keysOf(stranger, clientId),
        () => chat.erase(stranger, clientId),
      ]
      for (const attempt of attempts) {
        taken.length = 0
        await expect(attempt()).rejects.toMatchObject({ code: 'forbidden', status: 403, retryable: false })
        expect(taken).toContain('address 127.0.0.1 20')
        expect(taken).not.toContain(`send ${clientId} my-hash`)
      }
    }
    expect(await chat.page(mine, clientId, {})).toMatchObject({ seq: 2, read: { visitor: 0 } })
    expect(await chat.markRead(mine, clientId, 2)).toMatchObject({ seq: 2 })
    expect((await chat.page(admin, clientId, {})).messages).toHaveLength(2)
  })

  it('notifies listeners when it is the first, and limits the audience of later facts', async () => {
    await send('open')
    await chat.send(mine, { clientId, message: 'one' })
    await chat.send(mine, { clientId, message: 'two' })
    await vi.waitFor(() => expect(created).toHaveLength(3))
    expect(keyed).toEqual([[clientId, ['my-hash']]])
    expect(created.map(({ keyHashes }) => keyHashes)).toEqual([[], ['my-hash'], ['my-hash']])
  })

  it('is in no answer', async () => {
    await chat.send(mine, { clientId, message: 'one' })
    const answers = await Promise.all([
      chat.page(mine, clientId, {}),
      chat.page(admin, clientId, {}, { markRead: true }),
      chat.markRead(admin, clientId, 1),
      chat.send(mine, { clientId, message: 'two' }),
      chat.conversations(admin, {}),
    ])
    expect(JSON.stringify(answers)).not.toMatch(/my-hash|key/i)
  })
})

describe('unread', () => {
  it('notifies peers of local changes, and local listeners of the changes of peers', async () => {
    await send('one')
    chat.peerUnreadChanged(other.clientId, 7)
    await vi.waitFor(() => {
      expect(unread).toContainEqual({ totalAdminUnread: 1, clientId: other.clientId, adminUnread: 7 })
      expect(unread).toContainEqual({ totalAdminUnread: 1, clientId: visitor.clientId, adminUnread: 1 })
    })
    expect(sentToPeers).toEqual([[[visitor.clientId, 1]]])
  })

  it('comes with the total, once with the latest count of each conversation', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => send(`m${index}`)))
    await chat.send(other, { clientId: other.clientId, message: 'x' })
    await vi.waitFor(() => {
      expect(unread.at(-1)).toEqual({ totalAdminUnread: 31, clientId: other.clientId, adminUnread: 1 })
    })
    expect(unread.filter(({ clientId }) => clientId === visitor.clientId)).toHaveLength(1)
  })

  it('is none once a conversation is erased', async () => {
    await send('one')
    await vi.waitFor(() => expect(unread).toHaveLength(1))
    await expect(chat.erase(other, visitor.clientId)).rejects.toMatchObject({ code: 'forbidden' })
    await chat.erase(visitor, visitor.clientId)
    await vi.waitFor(() => {
      expect(unread.at(-1)).toEqual({ totalAdminUnread: 0, clientId: visitor.clientId, adminUnread: 0 })
    })
  })

  it('is readable by admins only', async () => {
    await expect(chat.unreadCount(visitor)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(chat.conversations(visitor, {})).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('conversations', () => {
  it('are paged by an opaque cursor; an invalid one is refused', async () => {
    await send('one')
    await chat.send(other, { clientId: other.clientId, message: 'x' })
    const first = await chat.conversations(admin, { limit: 1 })
    expect(first.conversations.map(({ clientId }) => clientId)).toEqual([visitor.clientId])
    const second = await chat.conversations(admin, { limit: 1, cursor: first.next ?? '' })
    expect(second.conversations.map(({ clientId }) => clientId)).toEqual([other.clientId])
    expect(second.next).toBeNull()
    for (const cursor of ['', 'x', 'bnVsbA', Buffer.from('{"lastAt":"1"}').toString('base64url')]) {
      await expect(chat.conversations(admin, { cursor })).rejects.toMatchObject({ code: 'invalid-input' })
    }
  })
})
