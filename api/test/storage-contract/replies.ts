import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const MISSING = 'f'.repeat(24)

export function describeReplies({ storage, reopen }: StoreUnderTest): void {
  describe('canned replies', () => {
    const create = (shortcut: string, text = `Text of ${shortcut}`, max = 100) =>
      storage.replies.create({ shortcut, text, createdAt: T0 }, max)
    async function created(shortcut: string, text?: string) {
      const result = await create(shortcut, text)
      if (result.outcome !== 'stored') throw new Error(result.outcome)
      return result.reply
    }
    const shortcuts = async () => (await storage.replies.list()).map(({ shortcut }) => shortcut)

    it('are listed in order of shortcut, also after a restart', async () => {
      expect(await storage.replies.list()).toEqual([])
      for (const shortcut of ['refund', 'b', '9-lives', 'a-b', 'a0', 'ab', 'a']) await created(shortcut)
      const inOrder = ['9-lives', 'a', 'a-b', 'a0', 'ab', 'b', 'refund']
      expect(await shortcuts()).toEqual(inOrder)
      await reopen()
      expect(await shortcuts()).toEqual(inOrder)
    })

    it('keep their text as it is', async () => {
      const text = '你好 😀 {{visitor.name}},\n\n"quoted" \u2028 $where {"$gt":""}'
      const reply = await created('hello', text)
      expect(reply).toEqual({
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        shortcut: 'hello',
        text,
        version: 1,
      })
      expect(await storage.replies.list()).toEqual([reply])
    })

    it('have one shortcut each, also when stored at once', async () => {
      const results = await Promise.all([
        create('hello', 'one'),
        create('hello', 'two'),
        create('hello', 'three'),
      ])
      expect(results.map(({ outcome }) => outcome).sort()).toEqual([
        'shortcut-taken',
        'shortcut-taken',
        'stored',
      ])
      expect(await create('hello')).toEqual({ outcome: 'shortcut-taken' })
      expect(await shortcuts()).toEqual(['hello'])
    })

    it('are at most as many as asked for', async () => {
      expect(await create('a', 'x', 2)).toMatchObject({ outcome: 'stored' })
      expect(await create('b', 'x', 2)).toMatchObject({ outcome: 'stored' })
      expect(await create('c', 'x', 2)).toEqual({ outcome: 'full' })
      expect(await create('a', 'x', 2)).toEqual({ outcome: 'shortcut-taken' })
      expect(await shortcuts()).toEqual(['a', 'b'])
    })

    it('change any field under the next version', async () => {
      const { _id } = await created('hello', 'Hello')
      const renamed = { _id, shortcut: 'hi', text: 'Hello', version: 2 }
      expect(await storage.replies.update(_id, { shortcut: 'hi' }, 1)).toEqual({
        outcome: 'stored',
        reply: renamed,
      })
      const rewritten = { ...renamed, text: 'Hi', version: 3 }
      expect(await storage.replies.update(_id, { text: 'Hi' }, 2)).toEqual({
        outcome: 'stored',
        reply: rewritten,
      })
      expect(await storage.replies.list()).toEqual([rewritten])
      // Its old shortcut is free, and its own is not taken.
      expect(await create('hello')).toMatchObject({ outcome: 'stored' })
      expect(await storage.replies.update(_id, { shortcut: 'hi', text: 'Hey' }, 3)).toMatchObject({
        outcome: 'stored',
      })
    })

    it('store one of two changes of a version', async () => {
      const { _id } = await created('hello')
      const results = await Promise.all(
        ['one', 'two', 'three'].map((text) => storage.replies.update(_id, { text }, 1)),
      )
      const stored = results.filter(({ outcome }) => outcome === 'stored')
      expect(stored).toHaveLength(1)
      expect(results.filter(({ outcome }) => outcome === 'stale')).toHaveLength(2)
      expect(stored).toMatchObject([{ reply: (await storage.replies.list())[0] }])
      expect(await storage.replies.update(_id, { text: 'late' }, 1)).toEqual({ outcome: 'stale' })
      expect(await storage.replies.update(_id, { text: 'early' }, 9)).toEqual({ outcome: 'stale' })
      expect(await storage.replies.list()).toMatchObject([{ version: 2 }])
    })

    it('do not take the shortcut of another', async () => {
      const hello = await created('hello')
      const other = await created('other')
      expect(await storage.replies.update(other._id, { shortcut: 'hello' }, 1)).toEqual({
        outcome: 'shortcut-taken',
      })
      expect(await storage.replies.update(other._id, { shortcut: 'hello' }, 7)).toEqual({ outcome: 'stale' })
      expect(await storage.replies.list()).toEqual([hello, other])
    })

    it('are missing after removal', async () => {
      const { _id } = await created('hello')
      const other = await created('other')
      expect([await storage.replies.remove(_id), await storage.replies.remove(_id)]).toEqual([true, false])
      expect(await storage.replies.update(_id, { text: 'x' }, 1)).toEqual({ outcome: 'missing' })
      for (const id of [MISSING, '', '%', `${other._id}0`]) {
        expect(await storage.replies.remove(id)).toBe(false)
        expect(await storage.replies.update(id, { text: 'x' }, 1)).toEqual({ outcome: 'missing' })
      }
      expect(await storage.replies.list()).toEqual([other])
      expect(await create('hello')).toMatchObject({ outcome: 'stored' })
    })
  })
}
