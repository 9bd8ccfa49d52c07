import { describe, expect, it } from 'vitest'
import { type DeliveryRecord, deliveryId, type EndpointRecord } from '../../src/storage/model/endpoints.ts'
import { OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const idOf = (digit: number) => `${digit}`.repeat(24)

export function endpointRecord(digit: number, fields: Partial<EndpointRecord> = {}): EndpointRecord {
  return {
    ...{ _id: idOf(digit), name: `Receiver ${digit} 😀`, url: 'https://hooks.example/x?y=1' },
    ...{ types: ['message.created'], notes: false, disabledBy: null, failingSince: null },
    secrets: [{ sealed: 'sealed', createdAt: T0, endsAt: null }],
    ...{ after: 0, replayAfter: 0, replayTo: 0, createdAt: T0 + digit, version: 1 },
    ...fields,
  }
}

export function describeEndpoints({ storage, append }: StoreUnderTest): void {
  describe('endpoints', () => {
    it('are listed in order of creation, up to a number of them', async () => {
      const { endpoints } = storage
      expect(await endpoints.create(endpointRecord(2), 2)).toBe(true)
      expect(await endpoints.create(endpointRecord(1), 2)).toBe(true)
      expect(await endpoints.create(endpointRecord(3), 2)).toBe(false)
      expect(await endpoints.list()).toEqual([endpointRecord(1), endpointRecord(2)])
      expect(await endpoints.remove(idOf(1))).toBe(true)
      expect(await endpoints.remove(idOf(1))).toBe(false)
      expect(await endpoints.find(idOf(1))).toBeNull()
    })

    it('change only while they are as expected', async () => {
      const { endpoints } = storage
      await endpoints.create(endpointRecord(1), 9)
      expect(await endpoints.update(idOf(1), { after: 0 }, { after: 5, failingSince: T0 })).toBe(true)
      expect(await endpoints.update(idOf(1), { after: 0 }, { after: 4 })).toBe(false)
      expect(await endpoints.update(idOf(1), { failingSince: null }, { failingSince: 1 })).toBe(false)
      expect(await endpoints.find(idOf(1))).toEqual(endpointRecord(1, { after: 5, failingSince: T0 }))
    })

    it('have one retry for each subject, the earliest first', async () => {
      const { retries } = storage
      const retry = (subject: string, dueAt: number, event = 1) =>
        ({ endpoint: idOf(1), subject, event, attempts: 1, dueAt }) as const
      for (const given of [retry(VISITOR, T0 + 2, 9), retry(OTHER, T0 + 1), retry(VISITOR, T0, 7)]) {
        await retries.put(given)
      }
      // It is never moved to a later event, and keeps its attempts.
      await retries.put(retry(VISITOR, T0 + 9, 8))
      await retries.put({ ...retry(VISITOR, T0 + 9, 7), attempts: 0 })
      expect(await retries.list(idOf(1), { limit: 9 })).toMatchObject([{ event: 7 }, { subject: OTHER }])
      expect(await retries.list(idOf(1), { to: 6, limit: 9 })).toMatchObject([{ subject: OTHER }])
      expect(await retries.find(idOf(1), VISITOR)).toMatchObject({ event: 7, attempts: 1, dueAt: T0 })
      expect(await retries.list(idOf(2), { limit: 9 })).toEqual([])
      const [first] = await retries.list(idOf(1), { limit: 1 })
      if (first === undefined) throw new Error('no retry')
      const next = { event: 8, attempts: 3, dueAt: T0 + 5 }
      for (const other of [{ attempts: 2 }, { event: 6 }, { dueAt: T0 + 1 }]) {
        expect(await retries.settle({ ...first, ...other }, null)).toBe(false)
        expect(await retries.settle({ ...first, ...other }, next)).toBe(false)
      }
      expect(await retries.settle(first, next)).toBe(true)
      expect(await retries.settle(first, null)).toBe(false)
      expect(await retries.find(idOf(1), VISITOR)).toMatchObject({ event: 8, attempts: 3 })
      expect(await retries.settle({ ...first, ...next }, null)).toBe(true)
      expect(await retries.list(idOf(1), { limit: 1 })).toMatchObject([{ subject: OTHER }])
      await retries.removeOf(idOf(1))
      expect(await retries.list(idOf(1), { limit: 9 })).toEqual([])
    })

    const delivery = (event: number, clientId: string | null = null): DeliveryRecord => ({
      ...{ _id: deliveryId(T0 + event), endpoint: idOf(1), event, type: 'message.created' },
      ...{ at: T0 + event, clientId, attempt: 1, status: 200, error: null, ms: 3, answer: 'ok' },
    })
    const listed = async () =>
      (await storage.deliveries.page(idOf(1), { limit: 9 })).map(({ event }) => event)

    it('have the newest deliveries, page by page', async () => {
      const { deliveries } = storage
      const rows = [1, 2, 3, 4].map((event) => delivery(event))
      for (const row of rows) await deliveries.add(row)
      const [first, second] = await deliveries.page(idOf(1), { limit: 2 })
      expect([first, second]).toEqual([rows[3], rows[2]])
      expect(await deliveries.page(idOf(1), { before: second?._id, limit: 1 })).toEqual([rows[1]])
      await deliveries.prune(idOf(1), 3)
      expect(await listed()).toEqual([4, 3, 2])
      await deliveries.remove(second?._id ?? '')
      expect(await listed()).toEqual([4, 2])
      await deliveries.removeOf(idOf(1))
      expect(await listed()).toEqual([])
    })

    it('forget what they answered about an erased conversation', async () => {
      await append('secret words')
      await storage.deliveries.add(delivery(1, VISITOR))
      await storage.deliveries.add(delivery(2, OTHER))
      await storage.conversations.erase(VISITOR)
      expect(await listed()).toEqual([2])
    })
  })
}
