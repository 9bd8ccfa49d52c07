import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectRaw, describeOnEachMongo, openStores, type RawMongo } from '../../../test/mongo-stores.ts'
import type { Storage } from '../model/storage.ts'
import { collectionsOf } from './collections.ts'
import { openEventNumbers } from './event-numbers.ts'

const T0 = Date.UTC(2026, 0, 1)
const idOf = (count: number) => `${count}`.padEnd(20, 'v')

describeOnEachMongo('on MongoDB', (freshUrl) => {
  describe('numbers of events', () => {
    /** The same store, opened twice as by two processes. */
    let nodes: Storage[]
    let raw: RawMongo
    let url: string
    beforeEach(async () => {
      url = freshUrl()
      nodes = [(await openStores(url)).storage, (await openStores(url)).storage]
      raw = await connectRaw(url)
    })
    afterEach(async () => {
      for (const node of nodes) await node.close()
      await raw.close()
    })
    const told = () => (nodes[0] as Storage).events.after(0, 1_000)
    const say = (node: Storage, clientId: string, count: number) =>
      node.messages.append({
        ...{ clientId, senderId: clientId, message: `${count}`, nonce: `nonce-${clientId}-${count}` },
        at: T0,
      })

    it('have no gap and no source twice when two nodes give them', async () => {
      await nodes[0]?.events.begin()
      await Promise.all(
        nodes.flatMap((node, at) =>
          [1, 2, 3].map(async (client) => {
            for (let count = 0; count < 4; count += 1) await say(node, idOf(10 * at + client), count)
          }),
        ),
      )
      await expect.poll(async () => (await told()).length, { timeout: 15_000 }).toBe(30)
      const events = await told()
      expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1))
      for (const client of [1, 2, 3, 11, 12, 13]) {
        const own = events.filter(
          ({ clientId, type }) => clientId === idOf(client) && type === 'message.created',
        )
        expect(own.map(({ n }) => n)).toEqual([1, 2, 3, 4])
      }
    })

    it('are given before an erase, which ends while others go on writing', async () => {
      await nodes[0]?.events.begin()
      await say(nodes[0] as Storage, idOf(1), 0)
      let isOver = false
      const writers = [2, 3, 4, 5, 6].map(async (client) => {
        for (let count = 0; !isOver; count += 1) await say(nodes[1] as Storage, idOf(client), count)
      })
      await nodes[0]?.conversations.erase(idOf(1)).finally(() => {
        isOver = true
      })
      await Promise.all(writers)
      const ofErased = async () => (await told()).filter(({ clientId }) => clientId === idOf(1))
      await expect.poll(async () => (await ofErased()).length, { timeout: 15_000 }).toBe(3)
    })

    it('are given of an entry whose process died before it moved it, though it is erased at once', async () => {
      await nodes[0]?.events.begin()
      await say(nodes[1] as Storage, idOf(1), 1)
      await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBe(2)
      const { conversations } = collectionsOf(raw.db())
      const { _id: clientId = '', epoch = '' } = (await conversations.findOne({ _id: idOf(1) })) ?? {}
      const entry = {
        ...{ _id: 'e'.repeat(24), clientId, epoch, n: 1, kind: 'status' as const, by: 'a'.repeat(24) },
        ...{ at: Date.now(), afterSeq: 1, data: { from: 'open', to: 'resolved' }, eventDue: 1 as const },
      }
      await conversations.updateOne(
        { _id: clientId },
        { $set: { pendingActivity: [entry], pendingFrom: 1, activityN: 1, version: 1, status: 'resolved' } },
      )
      await nodes[0]?.conversations.erase(clientId)
      const types = async () => (await told()).map(({ type }) => type)
      await expect
        .poll(types, { timeout: 10_000 })
        .toEqual(['conversation.created', 'message.created', 'conversation.changed', 'conversation.erased'])
    })

    it('are in the order of a conversation, whatever the clocks of its nodes said', async () => {
      await nodes[0]?.events.begin()
      await say(nodes[0] as Storage, idOf(1), 1)
      await say(nodes[0] as Storage, idOf(1), 2)
      const { messages, activity } = collectionsOf(raw.db())
      const { epoch = '' } = (await messages.findOne({ clientId: idOf(1) })) ?? {}
      const entry = (n: number, afterSeq: number, at: number) => ({
        ...{ _id: `${n}`.padStart(24, 'e'), clientId: idOf(1), epoch, n, kind: 'status' as const },
        ...{ by: 'a'.repeat(24), at, afterSeq, data: { from: 'open', to: 'resolved' }, eventDue: 1 as const },
      })
      await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBe(3)
      // The first batch of entries by time has the second entry, and not the first one.
      const others = Array.from({ length: 250 }, (_, index) => ({
        ...entry(index + 1, 1, T0 - 10_000),
        ...{ _id: `${index}`.padStart(24, 'f'), clientId: idOf(2), epoch: 'other' },
      }))
      await nodes[1]?.close()
      await nodes[0]?.close()
      await activity.insertMany([
        entry(1, 2, T0 + 45_000),
        entry(2, 3, T0 - 45_000),
        entry(3, 3, T0),
        ...others,
      ])
      const [second] = await messages.find({ clientId: idOf(1), seq: 2 }).toArray()
      if (second === undefined) throw new Error('no message')
      await messages.insertOne({ ...second, _id: 'c'.repeat(24), nonce: 'nonce-third', seq: 3, eventDue: 1 })
      nodes = [(await openStores(url)).storage]
      await expect.poll(async () => (await told()).length, { timeout: 20_000 }).toBe(257)
      const own = (await told()).filter(({ clientId }) => clientId === idOf(1)).slice(3)
      expect(own.map(({ type, n }) => `${type} ${n}`)).toEqual([
        'conversation.changed 1',
        'message.created 3',
        'conversation.changed 2',
        'conversation.changed 3',
      ])
    }, 60_000)

    it('of an erase stand between the two histories, whatever the clock said', async () => {
      await nodes[0]?.events.begin()
      for (const node of nodes) await node.close()
      const { messages, conversations } = collectionsOf(raw.db())
      const message = (epoch: string, seq: number, createdAt: number) => ({
        ...{ _id: `${epoch}${seq}`.padStart(24, '0'), clientId: idOf(1), epoch, seq, senderId: idOf(1) },
        ...{
          nonce: `nonce-${epoch}-${seq}`,
          message: 'hello',
          createdAt,
          visitorCount: seq,
          waitingSince: createdAt,
        },
        eventDue: 1 as const,
      })
      await messages.insertMany([message('two', 1, T0), message('one', 1, T0 + 45_000)] as never[])
      const eventsDue = JSON.stringify([{ epoch: 'two', at: T0 - 45_000 }])
      await conversations.insertOne({
        _id: idOf(1),
        clientId: idOf(1),
        epoch: 'two',
        erasedEpochs: ['one'],
        eventsDue,
      } as never)
      nodes = [(await openStores(url)).storage]
      const types = async () => (await told()).map(({ type }) => type)
      const created = ['conversation.created', 'message.created']
      await expect.poll(types, { timeout: 10_000 }).toEqual([...created, 'conversation.erased', ...created])
    })

    it('are given of what a node writes that could not look whether they have begun', async () => {
      const collections = collectionsOf(raw.db())
      const stuck = openEventNumbers(collections, {})
      expect(stuck.mark()).toEqual({ eventDue: 1 })
      await stuck.number()
      expect(stuck.mark()).toEqual({})
      const clock = vi.spyOn(performance, 'now')
      clock.mockReturnValue(performance.now() + 1_000)
      expect(stuck.mark()).toEqual({ eventDue: 1 })
      clock.mockRestore()
      // Nothing is told from before.
      await collections.contacts.insertOne({ _id: 'c'.repeat(24), eventDue: 1 } as never)
      await nodes[0]?.events.begin()
      expect(await collections.contacts.countDocuments({ eventDue: 1 })).toBe(0)
      await stuck.number()
      expect(stuck.mark()).toEqual({ eventDue: 1 })
    })

    it('are given by another node when one died after its write, or before it took the mark away', async () => {
      await nodes[0]?.events.begin()
      await say(nodes[0] as Storage, idOf(1), 1)
      await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBe(2)
      await nodes[1]?.close()
      const { messages } = collectionsOf(raw.db())
      // As if the process had died before the mark went.
      await messages.updateMany({}, { $set: { eventDue: 1 } })
      await say(nodes[0] as Storage, idOf(1), 2)
      await expect.poll(() => messages.countDocuments({ eventDue: 1 }), { timeout: 10_000 }).toBe(0)
      expect((await told()).map(({ number, n }) => [number, n])).toEqual([
        [1, 1],
        [2, 1],
        [3, 2],
      ])
    })
  })
})
