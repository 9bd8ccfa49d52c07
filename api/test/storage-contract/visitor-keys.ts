import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import { describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, VISITOR } from './store-under-test.ts'

export function describeVisitorKeys({ storage, append, texts, reopen }: StoreUnderTest): void {
  describe('visitor keys', () => {
    const KEY = 'hash-of-the-first-key'
    const WRONG = 'hash-of-a-wrong-key'
    const hashes = async (clientId = VISITOR) => (await storage.conversations.find(clientId))?.keyHashes
    const epochOf = async () => (await storage.conversations.find(VISITOR))?.epoch ?? ''

    it('are added by the first message', async () => {
      expect(await append('one', { keyHash: KEY })).toMatchObject({
        outcome: 'stored',
        keyAdded: true,
        state: { keyHashes: [KEY] },
      })
      expect(await hashes()).toEqual([KEY])
      expect(await append('two', { keyHash: KEY })).toMatchObject({
        keyAdded: false,
        state: { keyHashes: [KEY] },
      })
      expect(await hashes()).toEqual([KEY])
    })

    it('are added by a later message when the conversation has none', async () => {
      expect(await append('one')).toMatchObject({ keyAdded: false, state: { keyHashes: [] } })
      expect(await append('a reply', { senderId: ADMIN })).toMatchObject({ keyAdded: false })
      await storage.messages.page(VISITOR, { limit: 10, keyHash: KEY })
      await storage.conversations.markRead(VISITOR, 'visitor', 1, KEY)
      expect(await hashes()).toEqual([])
      expect(await append('two', { keyHash: KEY })).toMatchObject({ keyAdded: true })
      expect(await hashes()).toEqual([KEY])
      expect(await hashes(OTHER)).toBeUndefined()
    })

    it.each([
      ['no key', undefined],
      ['a wrong key', WRONG],
    ])('refuse a message with %s, and store nothing', async (_, keyHash) => {
      await append('one', { keyHash: KEY, nonce: 'the-same-nonce' })
      const wrong = { outcome: 'wrong-key' }
      expect(await append('two', { keyHash })).toEqual(wrong)
      expect(await append('one', { keyHash, nonce: 'the-same-nonce' })).toEqual(wrong)
      expect(await append('other', { keyHash, nonce: 'the-same-nonce' })).toEqual(wrong)
      expect(await append('two', { keyHash, epoch: 'of-another-life' })).toEqual(wrong)
      expect(await append('two', { keyHash, epoch: await epochOf() })).toEqual(wrong)
      expect(await texts()).toEqual(['one'])
      expect(await hashes()).toEqual([KEY])
    })

    it('are not required of admins', async () => {
      await append('one', { keyHash: KEY })
      expect(await append('a reply', { senderId: ADMIN })).toMatchObject({
        outcome: 'stored',
        state: { keyHashes: [KEY] },
      })
      expect(await texts()).toEqual(['one', 'a reply'])
      expect(await storage.conversations.markRead(VISITOR, 'admin', 1)).toMatchObject({ moved: true })
      expect(await append('two', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
      expect(await append('two', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
    })

    it('are required for a page of a visitor', async () => {
      await append('one', { keyHash: KEY })
      const page = (keyHash?: string | null) => storage.messages.page(VISITOR, { limit: 10, keyHash })
      expect((await page(KEY))?.messages).toHaveLength(1)
      expect((await page())?.messages).toHaveLength(1)
      for (const keyHash of [null, WRONG]) {
        expect(await page(keyHash)).toMatchObject({ messages: [], keyHashes: [KEY] })
      }
    })

    it('are required to move a visitor’s mark', async () => {
      await append('one', { keyHash: KEY })
      await append('a reply', { senderId: ADMIN })
      const mark = (keyHash?: string) =>
        storage.conversations.markRead(VISITOR, 'visitor', 2, keyHash ?? null)
      for (const keyHash of [undefined, WRONG]) {
        expect(await mark(keyHash)).toMatchObject({ moved: false, read: { visitor: 0 } })
      }
      expect(await mark(KEY)).toMatchObject({ moved: true, read: { visitor: 2 }, keyHashes: [KEY] })
    })

    it('accept one of many concurrent first messages', async () => {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) => append(`m${index}`, { keyHash: `hash-${index}` })),
      )
      const stored = results.flatMap((result) => (result.outcome === 'stored' ? [result] : []))
      expect(stored).toMatchObject([{ keyAdded: true }])
      expect(results.filter(({ outcome }) => outcome === 'wrong-key')).toHaveLength(11)
      expect(await texts()).toEqual(stored.map(({ message }) => message.message))
      expect(await hashes()).toEqual(stored[0]?.state.keyHashes)
    })

    it('are added once to an open conversation during concurrent writes', async () => {
      await append('zero')
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          append(`m${index}`, { keyHash: index % 3 === 0 ? null : `hash-${index % 3}` }),
        ),
      )
      const [hash] = (await hashes()) ?? []
      const keyed = results.findIndex((result) => result.outcome === 'stored' && result.keyAdded)
      for (const [index, { outcome }] of results.entries()) {
        if (index > keyed) expect(outcome).toBe(`hash-${index % 3}` === hash ? 'stored' : 'wrong-key')
      }
    })

    const epochNow = async () => (await storage.conversations.find(VISITOR))?.epoch ?? ''
    const addKey = async (hash: string) => storage.conversations.addKey(VISITOR, hash, await epochNow())

    it('can be several of equal rights; the oldest but the first make room for new ones', async () => {
      expect(await addKey('none')).toBe(false)
      await append('open')
      expect(await addKey('open')).toBe(true)
      expect(await hashes()).toEqual([])
      await append('one', { keyHash: KEY })
      expect(await addKey('hash-2')).toBe(true)
      expect(await addKey('hash-2')).toBe(true)
      expect(await hashes()).toEqual([KEY, 'hash-2'])
      expect(await append('two', { keyHash: 'hash-2' })).toMatchObject({ outcome: 'stored', keyAdded: false })
      expect(await append('three', { keyHash: KEY })).toMatchObject({ outcome: 'stored' })
      expect(await append('four', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
      for (let each = 3; each <= VISITOR_KEYS_MAX; each += 1) expect(await addKey(`hash-${each}`)).toBe(true)
      expect(await hashes()).toHaveLength(VISITOR_KEYS_MAX)
      expect(await addKey('hash-21')).toBe(true)
      const [first, second, ...rest] = (await hashes()) ?? []
      expect([first, second, rest.at(-1), rest.length]).toEqual([
        KEY,
        'hash-3',
        'hash-21',
        VISITOR_KEYS_MAX - 2,
      ])
      expect(await append('five', { keyHash: 'hash-2' })).toEqual({ outcome: 'wrong-key' })
      expect(await append('five', { keyHash: 'hash-21' })).toMatchObject({ outcome: 'stored' })
    })

    it('are added at the same time without exceeding the limit', async () => {
      await append('one', { keyHash: KEY })
      for (let each = 2; each <= VISITOR_KEYS_MAX; each += 1) await addKey(`hash-${each}`)
      expect(await Promise.all(['x', 'y', 'z'].map(addKey))).toEqual([true, true, true])
      const now = await hashes()
      expect(now).toHaveLength(VISITOR_KEYS_MAX)
      expect(now).toEqual(expect.arrayContaining([KEY, 'x', 'y', 'z']))
    })

    it('are not added to another history', async () => {
      await append('one', { keyHash: KEY })
      const before = await epochNow()
      await storage.conversations.erase(VISITOR)
      expect(await storage.conversations.addKey(VISITOR, 'late', before)).toBe(false)
      expect(await hashes()).toEqual([KEY])
    })

    it('are required to erase; the first one outlives an erased history and a restart', async () => {
      await append('one', { keyHash: KEY })
      for (const keyHash of [null, WRONG]) {
        expect(await storage.conversations.erase(VISITOR, { keyHash })).toBe(false)
      }
      expect(await texts()).toEqual(['one'])
      expect(await storage.conversations.erase(VISITOR, { keyHash: KEY })).toBe(true)
      expect(await storage.conversations.erase(VISITOR)).toBe(false)
      expect(await append('two')).toEqual({ outcome: 'wrong-key' })
      await reopen()
      expect(await hashes()).toEqual([KEY])
      expect(await append('two', { keyHash: WRONG })).toEqual({ outcome: 'wrong-key' })
      expect(await append('two', { keyHash: KEY })).toMatchObject({ outcome: 'stored', keyAdded: false })
      expect(await hashes()).toEqual([KEY])
    })

    it.each([
      ['the first device', KEY, [KEY]],
      ['a device that a link let in', 'second', [KEY, 'second']],
      ['an admin', undefined, [KEY]],
    ])('that links gave go with the history that %s erases, but its own', async (_, keyHash, kept) => {
      await append('one', { keyHash: KEY })
      for (const hash of ['second', 'third']) await addKey(hash)
      await append('two', { keyHash: 'third' })
      expect(await storage.conversations.erase(VISITOR, { keyHash })).toBe(true)
      expect(await hashes()).toEqual(kept)
      await append('a reply', { senderId: ADMIN })
      await reopen()
      for (const hash of [KEY, 'second', 'third']) {
        const outcome = kept.includes(hash) ? 'stored' : 'wrong-key'
        expect(await append(`of ${hash}`, { keyHash: hash })).toMatchObject({ outcome })
        const page = await storage.messages.page(VISITOR, { limit: 10, keyHash: hash })
        expect(page?.messages.length === 0, hash).toBe(outcome === 'wrong-key')
      }
      // A link of the history that follows lets them in again.
      expect(await addKey('third')).toBe(true)
      expect(await hashes()).toEqual([...kept, 'third'])
    })
  })
}
