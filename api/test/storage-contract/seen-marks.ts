import { describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const SECOND_ADMIN = 'b'.repeat(24)

export function describeSeenMarks({ storage, append, reopen }: StoreUnderTest): void {
  const epochOf = async (clientId = VISITOR) => (await storage.conversations.find(clientId))?.epoch ?? ''
  const see = async (seq: number, n: number, { by = ADMIN, clientId = VISITOR } = {}) =>
    storage.seenMarks.move(by, { clientId, epoch: await epochOf(clientId), seq, n })
  const seen = async (by = ADMIN, clientIds = [VISITOR, OTHER]) =>
    (await storage.seenMarks.of(by, clientIds)).map(({ seq, n }) => [seq, n])

  describe('seen marks', () => {
    it('are of each admin, and nothing else depends on them', async () => {
      await append('hello')
      await append('hello', { clientId: OTHER, senderId: OTHER })
      const epoch = await epochOf()
      expect(await see(1, 0)).toEqual({ clientId: VISITOR, epoch, seq: 1, n: 0 })
      expect(await see(1, 2, { clientId: OTHER })).toMatchObject({ clientId: OTHER, seq: 1, n: 2 })
      expect((await seen()).sort()).toEqual([
        [1, 0],
        [1, 2],
      ])
      expect(await storage.seenMarks.of(ADMIN, [VISITOR])).toEqual([
        { clientId: VISITOR, epoch, seq: 1, n: 0 },
      ])
      expect(await seen(SECOND_ADMIN)).toEqual([])
      expect(await storage.conversations.totalAdminUnread()).toBe(2)
      expect((await storage.conversations.find(VISITOR))?.read).toEqual({ visitor: 0, admin: 0 })
      await reopen()
      expect(await seen(ADMIN, [VISITOR])).toEqual([[1, 0]])
    })

    it('move only forwards, each number by itself', async () => {
      for (const text of ['1', '2', '3']) await append(text)
      expect(await see(0, 0)).toBeNull()
      expect(await see(2, 0)).toMatchObject({ seq: 2, n: 0 })
      expect(await see(2, 0)).toBeNull()
      expect(await see(1, 4)).toMatchObject({ seq: 2, n: 4 })
      expect(await see(3, 1)).toMatchObject({ seq: 3, n: 4 })
      expect(await see(2, 3)).toBeNull()
      await Promise.all([see(4, 5), see(5, 4), see(3, 9)])
      expect(await seen()).toEqual([[5, 9]])
    })

    it('move back to a message, and leave the entry and the other admins', async () => {
      for (const text of ['1', '2', '3']) await append(text)
      const back = async (seq: number, epoch?: string) =>
        storage.seenMarks.moveBack(ADMIN, { clientId: VISITOR, epoch: epoch ?? (await epochOf()), seq })
      expect(await back(2)).toBeNull()
      await see(3, 4)
      await see(3, 4, { by: SECOND_ADMIN })
      expect(await back(3)).toBeNull()
      expect(await back(1, 'another-epoch')).toBeNull()
      expect(await back(2)).toEqual({ clientId: VISITOR, epoch: await epochOf(), seq: 2, n: 4 })
      expect(await back(2)).toBeNull()
      expect([await seen(), await seen(SECOND_ADMIN)]).toEqual([[[2, 4]], [[3, 4]]])
      expect(await back(0)).toMatchObject({ seq: 0, n: 4 })
      await reopen()
      expect(await seen()).toEqual([[0, 4]])
      expect(await see(3, 0)).toMatchObject({ seq: 3, n: 4 })
    })

    it('belong to one history, and go with it', async () => {
      await append('hello')
      await append('hello', { clientId: OTHER, senderId: OTHER })
      const epoch = await epochOf()
      await see(1, 7)
      await see(1, 0, { by: SECOND_ADMIN })
      await see(1, 0, { clientId: OTHER })
      await storage.conversations.erase(VISITOR)
      expect([await seen(), await seen(SECOND_ADMIN)]).toEqual([[[1, 0]], []])
      expect(await storage.seenMarks.move(ADMIN, { clientId: VISITOR, epoch, seq: 2, n: 8 })).toBeNull()
      await append('again')
      expect(await seen(ADMIN, [VISITOR])).toEqual([])
      expect(await see(1, 0)).toMatchObject({ seq: 1, n: 0 })
    })

    it('are refused for a conversation that is not there', async () => {
      expect(await see(1, 1)).toBeNull()
      expect(await storage.seenMarks.of(ADMIN, [])).toEqual([])
    })
  })

  describe('what concerns an admin', () => {
    const concerning = async (userId = ADMIN, since = 0, limit = 50) =>
      (await storage.inbox.concerning(userId, { since, limit })).map(
        ({ activity: { clientId, n, kind } }) => [clientId === VISITOR ? 'first' : 'second', n, kind],
      )
    const mention = (mentions: string[], at: number, { by = SECOND_ADMIN, clientId = VISITOR } = {}) =>
      storage.inbox.addNote({ clientId, by, mentions, at, text: 'look', nonce: `nonce-of-${clientId}-${at}` })
    const assign = (assigneeId: string | null, at: number, by: string | null = SECOND_ADMIN) =>
      storage.inbox.change(VISITOR, { assigneeId }, { by, at })

    it('is what mentions them and what others assign to them, newest first', async () => {
      await append('hello')
      await append('hello', { clientId: OTHER, senderId: OTHER })
      await storage.visitors.update(OTHER, { name: 'Zoë' }, { by: null, at: T0 })
      await mention([ADMIN], T0 + 1)
      await assign(ADMIN, T0 + 2)
      await assign(SECOND_ADMIN, T0 + 3)
      await assign(ADMIN, T0 + 4, ADMIN)
      await assign(null, T0 + 5)
      await mention([SECOND_ADMIN, ADMIN], T0 + 6, { by: ADMIN, clientId: OTHER })
      await mention([ADMIN, SECOND_ADMIN], T0 + 7, { clientId: OTHER })
      await storage.inbox.change(VISITOR, { status: 'resolved', labels: [ADMIN] }, { by: ADMIN, at: T0 + 8 })
      const expected = [
        ['second', 3, 'note'],
        ['first', 2, 'assignee'],
        ['first', 1, 'note'],
      ]
      expect(await concerning()).toEqual(expected)
      expect(await concerning(SECOND_ADMIN)).toEqual([['second', 2, 'note']])
      expect(await concerning(ADMIN, T0 + 2)).toEqual(expected.slice(0, 2))
      expect(await concerning(ADMIN, 0, 1)).toEqual(expected.slice(0, 1))
      const [newest] = await storage.inbox.concerning(ADMIN, { since: 0, limit: 1 })
      expect(newest).toMatchObject({
        activity: { by: SECOND_ADMIN, at: T0 + 7, afterSeq: 1, data: { text: 'look' } },
        epoch: await epochOf(OTHER),
        visitorName: 'Zoë',
      })
      await reopen()
      expect(await concerning()).toEqual(expected)
    })

    it('is erased with the conversation', async () => {
      await append('hello')
      await mention([ADMIN], T0 + 1)
      await storage.conversations.erase(VISITOR)
      expect(await concerning()).toEqual([])
      await append('again')
      expect(await concerning()).toEqual([])
    })
  })
}
