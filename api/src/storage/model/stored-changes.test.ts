import { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newClientId } from '../../../test/build-app.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import type { Storage, StoredChange } from './storage.ts'
import { withStoredChanges } from './stored-changes.ts'

let storage: Storage
beforeEach(() => {
  storage = openSqlite(':memory:')
})
afterEach(() => storage.close())

it('tells of each write that changes something, once the store has it, and of one that finds its change', async () => {
  const clientId = newClientId()
  const by = 'a'.repeat(24)
  const at = Date.now()
  let changes: StoredChange[] = []
  storage.onStored((change) => changes.push(change))
  const { messages, inbox, visitors, conversations, contacts, users } = storage
  const message = { clientId, senderId: clientId, message: 'Hello', nonce: 'nonce-1-xxxx', at }
  const note = { clientId, text: 'A note', by, nonce: 'nonce-2-xxxx', at, mentions: [] }
  const contact = { email: 'ada@example.com', title: 'Hello', message: 'A question', createdAt: at }
  const page = { page: '/faq' }
  const rating = { score: 5, words: null }
  const epoch = async () => (await conversations.find(clientId))?.epoch ?? ''
  const { _id: contactId } = await contacts.create(contact)
  expect(changes).toEqual([{ kind: 'contact', contactId }])
  const calls: [name: string, call: () => Promise<unknown>, expected: StoredChange[]][] = [
    ['a message', () => messages.append(message), [{ kind: 'message', clientId }]],
    // Another process may have stored it and died.
    ['the same again', () => messages.append(message), [{ kind: 'unknown', clientId }]],
    [
      'a change',
      () => inbox.change(clientId, { status: 'resolved' }, { by, at }),
      [{ kind: 'inbox', clientId }],
    ],
    [
      'no change',
      () => inbox.change(clientId, { status: 'resolved' }, { by, at }),
      [{ kind: 'unknown', clientId }],
    ],
    ['a rating', () => inbox.rate(clientId, rating, { at, keyHash: null }), [{ kind: 'rating', clientId }]],
    [
      'the same rating',
      () => inbox.rate(clientId, rating, { at, keyHash: null }),
      [{ kind: 'unknown', clientId }],
    ],
    ['a refused change', () => inbox.change(clientId, { status: 'open' }, { by, at, version: 99 }), []],
    ['a note', () => inbox.addNote(note), [{ kind: 'note', clientId }]],
    ['the same note', () => inbox.addNote(note), []],
    [
      'a mail',
      async () =>
        inbox.addMail({ clientId, epoch: await epoch(), nonce: 'nonce-3-xxxx', at, data: {} as never }),
      [{ kind: 'mail', clientId }],
    ],
    [
      'a name',
      () => visitors.update(clientId, { name: 'Ada' }, { by, at }),
      [{ kind: 'profile', clientId, fields: ['name'] }],
    ],
    [
      'a page',
      () => visitors.update(clientId, page, { by: null, at }),
      [{ kind: 'profile', clientId, fields: ['page'] }],
    ],
    ['a read mark', () => conversations.markRead(clientId, 'admin', 1), []],
    ['an erase', () => conversations.erase(clientId), [{ kind: 'erase', clientId }]],
    ['nothing to erase', () => conversations.erase(clientId), []],
    ['a removed contact', () => contacts.remove(contactId), [{ kind: 'contact', contactId }]],
    ['a missing contact', () => contacts.remove(contactId), []],
    ['a user', () => users.changeProfile(by, { onDuty: false }), [{ kind: 'user' }]],
  ]
  for (const [name, call, expected] of calls) {
    changes = []
    await call()
    expect(changes, name).toEqual(expected)
  }
})

it.each(['append', 'change', 'rate'] as const)('tells of a failed %s, which may be stored', async (call) => {
  // Only its answer was lost.
  const fail = async () => {
    throw new AppError('unavailable', 'The store is away.')
  }
  const { messages, inbox, onStored } = withStoredChanges({
    ...{ messages: { append: fail }, inbox: { change: fail, rate: fail } },
    ...{ conversations: {}, visitors: {}, contacts: {}, users: {} },
  } as unknown as Storage)
  const changes: StoredChange[] = []
  onStored((change) => changes.push(change))
  const calls: Record<typeof call, () => Promise<unknown>> = {
    append: () => messages.append({ clientId: 'one' } as never),
    change: () => inbox.change('one', {}, {} as never),
    rate: () => inbox.rate('one', {} as never, {} as never),
  }
  await expect(calls[call]()).rejects.toThrow('away')
  expect(changes).toEqual([{ kind: 'unknown', clientId: 'one' }])
})
