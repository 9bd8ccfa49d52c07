import { describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

export function describeEvents({ storage, append, reopen }: StoreUnderTest): void {
  describe('events', () => {
    const all = () => storage.events.after(0, 1_000)
    /** MongoDB numbers what happened a moment later. */
    const become = (types: string[]) =>
      expect.poll(async () => (await all()).map(({ type }) => type), { timeout: 10_000 }).toEqual(types)

    it('begin when they are asked for, and cost nothing before', async () => {
      await append('before')
      await storage.events.begin()
      await storage.events.begin()
      await append('after')
      await become(['message.created'])
      expect(await all()).toMatchObject([{ number: 1, clientId: VISITOR, n: 2 }])
      expect(await storage.events.bounds()).toEqual({ first: 1, last: 1 })
    })

    it('tell of each change once, in its order, also after a restart', async () => {
      await storage.events.begin()
      const first = await append('Hello', { nonce: 'nonce-of-hello' })
      await append('Hello', { nonce: 'nonce-of-hello' })
      await become(['conversation.created', 'message.created'])
      await append('An answer', { senderId: ADMIN })
      await become(['conversation.created', 'message.created', 'message.created', 'conversation.changed'])
      const note = { clientId: VISITOR, nonce: 'nonce-of-note', by: ADMIN, text: 'A note', mentions: [] }
      await storage.inbox.addNote({ ...note, at: T0 })
      await storage.inbox.addNote({ ...note, at: T0 })
      await reopen()
      await storage.contacts.create({ email: 'a@b.example', title: 't', message: 'm', createdAt: T0 })
      await expect
        .poll(async () => (await all()).map(({ type }) => type).sort(), { timeout: 10_000 })
        .toEqual([
          'contact.created',
          'conversation.changed',
          'conversation.created',
          'message.created',
          'message.created',
          'note.created',
        ])
      const told = await all()
      expect(told.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
      if (first.outcome !== 'stored') throw new Error('not stored')
      expect(told[1]).toMatchObject({ _id: `message.created ${first.message._id}`, n: 1 })
    })

    it('have a number each when many conversations write at once', async () => {
      await storage.events.begin()
      const ids = Array.from({ length: 8 }, (_, count) => `${count}`.padEnd(20, 'v'))
      await Promise.all(
        ids.flatMap((clientId) =>
          Array.from({ length: 5 }, (_, count) => append(`${count}`, { clientId, senderId: clientId })),
        ),
      )
      await expect.poll(async () => (await storage.events.bounds()).last, { timeout: 15_000 }).toBe(48)
      const told = await all()
      expect(told.map(({ number }) => number)).toEqual(told.map((_, index) => index + 1))
      for (const clientId of ids) {
        const own = told.filter((event) => event.clientId === clientId && event.type === 'message.created')
        expect(own.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
      }
    })

    it('are read by their conversation, or one by its own id', async () => {
      await storage.events.begin()
      await append('one')
      await append('another', { clientId: OTHER, senderId: OTHER })
      await append('two')
      await storage.contacts.create({ email: 'a@b.example', title: 't', message: 'm', createdAt: T0 })
      await expect.poll(async () => (await storage.events.bounds()).last, { timeout: 10_000 }).toBe(6)
      const told = await all()
      const own = told.filter(({ clientId }) => clientId === VISITOR)
      expect(own.map(({ n }) => n)).toEqual([1, 1, 2])
      const { afterOf } = storage.events
      expect(await afterOf(VISITOR, 0, 10)).toEqual(own)
      expect(await afterOf(VISITOR, own[0]?.number ?? 0, 1)).toEqual([own[1]])
      expect(await afterOf(VISITOR, 6, 10)).toEqual([])
      const ofContact = told.find(({ type }) => type === 'contact.created')
      if (ofContact === undefined) throw new Error('not stored')
      expect(await afterOf(ofContact._id, ofContact.number - 1, 10)).toEqual([ofContact])
      expect(await afterOf(ofContact._id, ofContact.number, 10)).toEqual([])
    })

    it('stay when their conversation is erased, and tell of that', async () => {
      await storage.events.begin()
      await append('secret words')
      await storage.conversations.erase(VISITOR)
      await append('hello', { clientId: OTHER, senderId: OTHER })
      await expect.poll(async () => (await storage.events.bounds()).last, { timeout: 10_000 }).toBe(5)
      const told = await all()
      expect(
        told
          .filter(({ clientId }) => clientId === VISITOR)
          .map(({ type }) => type)
          .sort(),
      ).toEqual(['conversation.created', 'conversation.erased', 'message.created'])
      expect(JSON.stringify(told)).not.toContain('secret')
    })

    it('are removed once they are old, except the newest', async () => {
      await storage.events.begin()
      for (const count of [0, 1, 2]) await append(`${count}`, { at: T0 + count })
      await expect.poll(async () => (await storage.events.bounds()).last, { timeout: 10_000 }).toBe(4)
      await storage.events.prune(T0 + 2)
      expect(await storage.events.bounds()).toEqual({ first: 4, last: 4 })
      await storage.events.prune(T0 + 1_000)
      expect(await storage.events.bounds()).toEqual({ first: 4, last: 4 })
    })
  })
}
