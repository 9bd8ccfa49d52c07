import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../src/storage/model/api-keys.ts'
import { ADMIN, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

export function keyRecord(digit: string, rest: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    ...{ _id: digit.repeat(24), name: `key ${digit}`, hash: digit.repeat(43), prefix: 'ppk_abcd' },
    ...{ scopes: ['read', 'content'], createdAt: T0 + Number(digit), createdBy: ADMIN },
    ...{ expiresAt: null, lastUsedAt: null, deletedAt: null },
    ...rest,
  }
}

export function describeApiKeys({ storage, append, reopen }: StoreUnderTest): void {
  describe('API keys', () => {
    const key = keyRecord

    it('are found by their hash until they are deleted, and keep their name', async () => {
      for (const digit of ['1', '2']) expect(await storage.apiKeys.create(key(digit), 2)).toBe(true)
      expect(await storage.apiKeys.create(key('3'), 2)).toBe(false)
      await storage.apiKeys.setUsed(key('1')._id, T0)
      await reopen()
      expect(await storage.apiKeys.list()).toEqual([key('2'), key('1', { lastUsedAt: T0 })])
      expect(await storage.apiKeys.findByHash(key('2').hash)).toEqual(key('2'))

      expect(await storage.apiKeys.remove(key('2')._id, T0)).toBe(true)
      expect(await storage.apiKeys.remove(key('2')._id, T0)).toBe(false)
      expect(await storage.apiKeys.findByHash(key('2').hash)).toBeNull()
      expect(await storage.apiKeys.list()).toHaveLength(1)
      expect(await storage.apiKeys.nameOf(key('2')._id)).toBe('key 2')
      expect(await storage.apiKeys.nameOf(key('3')._id)).toBeNull()
      expect(await storage.apiKeys.create(key('3'), 2)).toBe(true)
    })

    it('answer without taking the conversation', async () => {
      await append('Hello')
      const answer = await append('From a program', { senderId: `key:${key('1')._id}` })
      expect(answer).toMatchObject({ outcome: 'stored', inboxChanged: null, waitedSince: T0 })
      expect((await storage.conversations.record(VISITOR))?.inbox.assigneeId).toBeNull()
      await append('Mine', { senderId: ADMIN })
      expect((await storage.conversations.record(VISITOR))?.inbox.assigneeId).toBe(ADMIN)
    })
  })
}
