import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryMongo } from '../../../test/simulation/memory-mongo.ts'
import type { Storage } from '../model/storage.ts'
import { openOn } from './open-mongo.ts'

const VISITOR = 'Visitor0000000000001'
const ADMIN = 'a'.repeat(24)
const SOON_MS = 30_000

/** One store, opened twice as by two processes. */
let server: MemoryMongo
let here: Storage
let there: Storage
/** Which operations of `here` are cut. */
let isCut: RegExp | null
/** Runs once, before the operation of `here` that it names. */
let meanwhile: { before: RegExp; run: () => Promise<unknown> } | null

beforeEach(async () => {
  vi.useFakeTimers()
  isCut = null
  meanwhile = null
  server = new MemoryMongo({
    async step(actor, what, apply) {
      const now = meanwhile
      if (actor === 'here' && now?.before.test(what())) {
        meanwhile = null
        await now.run()
      }
      return apply()
    },
    cut: (actor, what) => (actor === 'here' && isCut?.test(what()) ? 'before' : null),
  })
  here = (await openOn(server.connect('here'))).storage
  there = (await openOn(server.connect('there'))).storage
})
afterEach(async () => {
  await Promise.all([here.close(), there.close()])
  vi.useRealTimers()
})

let count = 0
const say = (storage: Storage, message: string) =>
  storage.messages.append({
    ...{ clientId: VISITOR, senderId: VISITOR, message, nonce: `nonce-${++count}-xxxx`, at: Date.now() },
  })
async function sweepWithoutCuts(): Promise<void> {
  isCut = null
  await vi.advanceTimersByTimeAsync(SOON_MS)
}
const note = { clientId: VISITOR, nonce: 'nonce-of-note', by: ADMIN, text: 'a note', mentions: [] }

describe('soon after an outage, the sweep removes', () => {
  it('a message that was stored after its history was erased', async () => {
    await say(here, 'hello')
    await there.conversations.erase(VISITOR)
    isCut = /^delete.* messages /
    await expect(say(here, 'too late')).rejects.toMatchObject({ code: 'unavailable' })
    expect(server.documents('messages')).toMatchObject([{ message: 'too late' }])
    await sweepWithoutCuts()
    expect(server.documents('messages')).toEqual([])
  })

  it('an entry that was moved after its history was erased', async () => {
    await say(here, 'hello')
    meanwhile = { before: /^insert activity /, run: () => there.conversations.erase(VISITOR) }
    isCut = /^delete.* activity /
    await here.inbox.addNote({ ...note, at: Date.now() })
    expect(server.documents('activity')).toMatchObject([{ kind: 'note' }])
    await sweepWithoutCuts()
    expect(server.documents('activity')).toEqual([])
  })

  it('what an erase left, even if the first sweep fails too', async () => {
    await say(here, 'hello')
    isCut = /^delete.* messages /
    await expect(here.conversations.erase(VISITOR)).rejects.toMatchObject({ code: 'unavailable' })
    await vi.advanceTimersByTimeAsync(SOON_MS)
    expect(server.documents('messages')).toMatchObject([{ message: 'hello' }])
    await sweepWithoutCuts()
    expect(server.documents('messages')).toEqual([])
  })
})

it('a store that is closed is not swept anymore', async () => {
  isCut = /messages/
  await expect(say(here, 'hello')).rejects.toMatchObject({ code: 'unavailable' })
  await here.close()
  let reads = 0
  meanwhile = { before: /./, run: async () => (reads += 1) }
  await vi.advanceTimersByTimeAsync(10 * SOON_MS)
  expect(reads).toBe(0)
})
