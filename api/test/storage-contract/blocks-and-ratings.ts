import { describe, expect, it } from 'vitest'
import { FOREVER } from '../../src/storage/model/conversation/blocks-and-ratings.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const HOUR = 3_600_000
const KEY = 'hash-of-the-key'

export function describeBlocksAndRatings({ storage, append, texts, reopen }: StoreUnderTest): void {
  const block = (until: number | null, at = T0) => storage.inbox.block(VISITOR, until, { by: ADMIN, at })
  const send = (text: string, at = T0, nonce = `nonce-of-${text}-x`) => append(text, { at, nonce })
  const outcomeOf = async (sent: Promise<{ outcome: string }>) => (await sent).outcome
  const log = async () => (await storage.inbox.activity(VISITOR, { limit: 200, after: 0 })).activity
  const blockedUntil = async () => (await storage.conversations.find(VISITOR))?.blockedUntil

  describe('a block', () => {
    it('refuses messages of the visitor until its time, and of no other sender', async () => {
      await send('before')
      expect(await block(T0 + HOUR)).toMatchObject({
        outcome: 'stored',
        activity: [
          {
            ...{ clientId: VISITOR, n: 1, kind: 'block', by: ADMIN, afterSeq: 1 },
            data: { until: new Date(T0 + HOUR).toISOString() },
          },
          { n: 2, kind: 'status', by: ADMIN, data: { from: 'open', to: 'resolved' } },
        ],
      })
      expect(await blockedUntil()).toBe(T0 + HOUR)
      expect(await outcomeOf(send('during', T0 + HOUR - 1))).toBe('blocked')
      expect(await outcomeOf(append('by an admin', { senderId: ADMIN }))).toBe('stored')
      expect(await outcomeOf(append('by another', { clientId: OTHER, senderId: OTHER }))).toBe('stored')
      await reopen()
      expect(await outcomeOf(send('still', T0 + HOUR - 1))).toBe('blocked')
      expect(await outcomeOf(send('after', T0 + HOUR))).toBe('stored')
      expect(await texts()).toEqual(['before', 'by an admin', 'after'])
    })

    it('answers messages that were stored before it', async () => {
      await send('before')
      await block(FOREVER)
      expect(await send('before')).toMatchObject({ outcome: 'repeated', message: { seq: 1 } })
      expect(await outcomeOf(send('another text', T0, 'nonce-of-before-x'))).toBe('nonce-taken')
    })

    it('is lifted, each change with an entry, and none where nothing changes', async () => {
      await send('hello')
      expect(await block(null)).toMatchObject({ outcome: 'unchanged' })
      await block(FOREVER)
      expect(await block(FOREVER)).toMatchObject({ outcome: 'unchanged' })
      expect(await outcomeOf(send('one'))).toBe('blocked')
      await block(null)
      expect(await outcomeOf(send('one'))).toBe('stored')
      await block(T0 + 10)
      // It is over by then.
      expect(await block(null, T0 + 10)).toMatchObject({ outcome: 'unchanged' })
      expect((await log()).map(({ kind, data }) => ({ kind, data }))).toEqual([
        { kind: 'block', data: { until: 'forever' } },
        { kind: 'status', data: { from: 'open', to: 'resolved' } },
        { kind: 'block', data: { until: null } },
        { kind: 'status', data: { from: 'resolved', to: 'open' } },
        { kind: 'block', data: { until: new Date(T0 + 10).toISOString() } },
        { kind: 'status', data: { from: 'open', to: 'resolved' } },
      ])
    })

    it('ends the wait of its visitor, and shows the conversation as resolved', async () => {
      await send('hello')
      expect((await storage.inbox.now(10)).waiting).toBe(1)
      expect(await block(FOREVER)).toMatchObject({
        conversation: { inbox: { status: 'resolved', version: 1 }, waitingSince: null },
      })
      expect(await storage.inbox.now(10)).toEqual({ open: 0, waiting: 0, longest: [] })
      await block(null)
      expect(await storage.inbox.now(10)).toEqual({ open: 0, waiting: 0, longest: [] })
    })

    it('keeps a conversation that is reopened from waiting until it is lifted', async () => {
      await send('hello', T0 + 1)
      await block(FOREVER, T0 + 2)
      await storage.inbox.change(VISITOR, { status: 'open' }, { by: ADMIN, at: T0 + 3 })
      expect(await storage.inbox.now(10)).toEqual({ open: 1, waiting: 0, longest: [] })
      await block(null, T0 + 4)
      expect(await storage.inbox.now(10)).toMatchObject({ waiting: 1, longest: [{ since: T0 + 1 }] })
    })

    it('does not bring back the wait when it ends by itself', async () => {
      await send('hello', T0 + 1)
      await block(T0 + HOUR, T0 + 2)
      await storage.inbox.change(VISITOR, { status: 'open' }, { by: ADMIN, at: T0 + 3 })
      await send('after', T0 + HOUR + 5)
      await reopen()
      expect(await storage.inbox.now(10)).toMatchObject({ waiting: 1, longest: [{ since: T0 + HOUR + 5 }] })
    })

    it('is in the list, and in the answer that changes nothing', async () => {
      await send('hello')
      expect((await storage.conversations.record(VISITOR))?.blockedUntil).toBeNull()
      expect(await block(T0 + HOUR)).toMatchObject({ conversation: { blockedUntil: T0 + HOUR } })
      expect(await block(T0 + HOUR)).toMatchObject({
        outcome: 'unchanged',
        conversation: { blockedUntil: T0 + HOUR, inbox: { version: 1 } },
      })
      const { conversations } = await storage.conversations.list({ limit: 10 })
      expect(conversations).toMatchObject([{ clientId: VISITOR, blockedUntil: T0 + HOUR }])
    })

    it('survives an erased history, and can then be lifted', async () => {
      await send('hello')
      await block(FOREVER)
      expect(await storage.conversations.erase(VISITOR)).toBe(true)
      expect(await blockedUntil()).toBe(FOREVER)
      expect(await outcomeOf(send('again'))).toBe('blocked')
      expect(await block(null)).toEqual({ outcome: 'stored', conversation: null, activity: [] })
      expect(await outcomeOf(send('again'))).toBe('stored')
      expect(await log()).toEqual([])
    })

    it('leaves the order of concurrent messages without gaps', async () => {
      await send('hello')
      const sends = Array.from({ length: 8 }, (_, n) => send(`text ${n}`))
      await Promise.all([...sends.slice(0, 4), block(FOREVER), ...sends.slice(4)])
      const page = await storage.messages.page(VISITOR, { limit: 200 })
      expect(page?.messages.map(({ seq }) => seq)).toEqual(page?.messages.map((_, index) => index + 1))
    })

    it('is missing for a conversation that never was', async () => {
      expect(await storage.inbox.block(OTHER, FOREVER, { by: ADMIN, at: T0 })).toEqual({ outcome: 'missing' })
      expect(await storage.conversations.find(OTHER)).toBeNull()
    })
  })

  describe('a rating', () => {
    const rate = (score: number, words: string | null = null, keyHash: string | null = null) =>
      storage.inbox.rate(VISITOR, { score, words }, { at: T0 + 5, keyHash })
    const change = (status: 'open' | 'resolved') =>
      storage.inbox.change(VISITOR, { status }, { by: ADMIN, at: T0 + 1 })
    const isUnrated = async () => (await storage.conversations.find(VISITOR))?.isUnrated

    it('is stored once for each resolve', async () => {
      await send('hello')
      expect(await rate(5)).toEqual({ outcome: 'not-open' })
      expect(await isUnrated()).toBe(false)
      await change('resolved')
      expect(await isUnrated()).toBe(true)
      expect(await rate(4, '很好 😀\nthanks')).toMatchObject({
        outcome: 'stored',
        activity: { n: 2, kind: 'rating', by: null, data: { score: 4, words: '很好 😀\nthanks' } },
      })
      expect(await isUnrated()).toBe(false)
      expect(await rate(1)).toEqual({ outcome: 'not-open' })
      await reopen()
      await change('open')
      await change('resolved')
      expect(await isUnrated()).toBe(true)
      expect(await outcomeOf(rate(1))).toBe('stored')
      expect(await storage.inbox.ratings(VISITOR)).toEqual([
        { at: T0 + 5, score: 1, words: null },
        { at: T0 + 5, score: 4, words: '很好 😀\nthanks' },
      ])
    })

    it('is repeated when it is the same one, also once it is open again', async () => {
      await send('hello')
      await change('resolved')
      await rate(3, 'fine')
      expect(await rate(3, 'fine')).toEqual({ outcome: 'repeated' })
      await change('open')
      expect(await rate(3, 'fine')).toEqual({ outcome: 'repeated' })
      expect(await rate(3)).toEqual({ outcome: 'not-open' })
      expect(await storage.inbox.ratings(VISITOR)).toHaveLength(1)
    })

    it('stays with changes that do not resolve it again', async () => {
      await send('hello')
      await change('resolved')
      await rate(3)
      await storage.inbox.change(VISITOR, { labels: ['x'], status: 'resolved' }, { by: ADMIN, at: T0 })
      expect(await isUnrated()).toBe(false)
    })

    it('is stored once of several at the same time', async () => {
      await send('hello')
      await change('resolved')
      const outcomes = await Promise.all([1, 2, 3, 4, 5].map((score) => outcomeOf(rate(score))))
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1)
      expect(await storage.inbox.ratings(VISITOR)).toHaveLength(1)
    })

    it('needs the key of the conversation, and no block', async () => {
      await append('hello', { keyHash: KEY })
      await change('resolved')
      expect(await rate(5)).toEqual({ outcome: 'wrong-key' })
      await block(FOREVER)
      expect(await rate(5, null, KEY)).toEqual({ outcome: 'blocked' })
      await block(null)
      expect(await outcomeOf(rate(5, null, KEY))).toBe('stored')
    })

    it('is erased with the history', async () => {
      await send('hello')
      await change('resolved')
      await rate(5, 'words')
      await storage.conversations.erase(VISITOR)
      expect(await storage.inbox.ratings(VISITOR)).toEqual([])
      expect(await rate(5, 'words')).toEqual({ outcome: 'missing' })
      await send('anew')
      await change('resolved')
      expect(await isUnrated()).toBe(true)
    })

    it('is missing without a conversation', async () => {
      expect(await rate(5)).toEqual({ outcome: 'missing' })
      expect(await storage.inbox.ratings(VISITOR)).toEqual([])
    })
  })

  describe('erasing', () => {
    it('removes the jobs of the conversation, and no others', async () => {
      await send('hello')
      const job = { kind: 'test', dueAt: T0, data: null }
      await storage.jobs.schedule({ ...job, key: 'a', clientId: VISITOR })
      await storage.jobs.schedule({ ...job, key: 'b', clientId: OTHER })
      await storage.jobs.schedule({ ...job, key: 'c', clientId: null })
      await storage.conversations.erase(VISITOR)
      const due = await storage.jobs.claim({ now: T0, leaseUntil: T0 + 1, limits: { [job.kind]: 10 } })
      expect(due.map(({ key }) => key).sort()).toEqual(['b', 'c'])
    })

    it('leaves a conversation with a message newer than a time', async () => {
      await send('old')
      await send('new', T0 + HOUR)
      expect(await storage.conversations.erase(VISITOR, { idleSince: T0 + HOUR - 1 })).toBe(false)
      expect(await texts()).toEqual(['old', 'new'])
      expect(await storage.conversations.erase(VISITOR, { idleSince: T0 + HOUR })).toBe(true)
      expect(await texts()).toEqual([])
    })

    it('finds nothing to erase twice', async () => {
      await send('hello')
      expect(await storage.conversations.erase(VISITOR)).toBe(true)
      expect(await storage.conversations.erase(VISITOR)).toBe(false)
    })
  })
}
