import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { createNowChanges } from './now-changes.ts'

let test: TestApp
beforeEach(async () => {
  test = await buildTestApp()
})
afterEach(() => test.close())

it('tells of each change that what happens now depends on, and of no other call', async () => {
  let count = 0
  const changes = createNowChanges()
  changes.onChanged(() => (count += 1))
  test.storage.onStored(changes.stored)
  const { messages, inbox, users, conversations, visitors } = test.storage
  const clientId = newClientId()
  const at = Date.now()
  const message = { clientId, senderId: clientId, message: 'Hello', nonce: 'nonce-1-xxxx', at }
  const admin = await users.findByName('admin')
  const userId = admin?._id ?? ''
  const calls: [name: string, call: () => Promise<unknown>, changes: number][] = [
    ['a message', () => messages.append(message), 1],
    ['the same again', () => messages.append(message), 0],
    ['a change', () => inbox.change(clientId, { status: 'resolved' }, { by: userId, at }), 1],
    ['no change', () => inbox.change(clientId, { status: 'resolved' }, { by: userId, at }), 0],
    ['a name', () => visitors.update(clientId, { name: 'Ada' }, { by: userId, at }), 1],
    ['a page', () => visitors.update(clientId, { page: '/faq' }, { by: null, at }), 0],
    ['a read mark', () => conversations.markRead(clientId, 'admin', 1), 0],
    ['a block', () => inbox.block(clientId, at + 60_000, { by: userId, at }), 1],
    ['the same block', () => inbox.block(clientId, at + 60_000, { by: userId, at }), 0],
    ['an erase', () => conversations.erase(clientId), 1],
    ['nothing to erase', () => conversations.erase(clientId), 0],
    ['off duty', () => users.changeProfile(userId, { onDuty: false }), 1],
    ['credentials', () => users.changeCredentials(userId, { disabled: false }), 1],
    ['disabled', () => users.disable(userId), 1],
  ]
  for (const [name, call, expected] of calls) {
    const before = count
    await call()
    expect(count - before, name).toBe(expected)
  }
})
