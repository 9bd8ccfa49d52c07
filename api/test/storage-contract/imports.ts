import { describe, expect, it } from 'vitest'
import { createDeriver } from '../../src/reports/deriver.ts'
import { createIndexer } from '../../src/search/indexer.ts'
import type { ImportedConversation } from '../../src/storage/model/conversation/imports.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const MINUTE_MS = 60_000
const IMPORTED = 'Imported000000000001'
const KEY_HASH = 'n'.repeat(43)

function imported(clientId = IMPORTED, fields: Partial<ImportedConversation> = {}): ImportedConversation {
  const message = (index: number, senderId: string, text: string) => ({
    ...{ senderId, message: text, createdAt: T0 + index * MINUTE_MS, nonce: `import-message-${index}` },
  })
  return {
    ...{ clientId, keyHash: KEY_HASH, status: 'resolved', name: 'Imke', email: 'imke@visitors.example' },
    messages: [
      message(0, clientId, 'Where is my lantern?'),
      message(1, 'import:Greta', 'On its way.'),
      message(2, clientId, 'Thanks'),
    ],
    notes: [{ by: ADMIN, text: 'Patient', at: T0 + MINUTE_MS, afterSeq: 1, nonce: 'import-note-0' }],
    ...fields,
  }
}

export function describeImports({ storage, append, texts, reopen }: StoreUnderTest): void {
  const words = async (term: string) =>
    (await storage.search.find({ whole: [term], beginning: [] }, { limit: 10 })).found.map(
      ({ owner, n }) => `${owner} ${n}`,
    )

  describe('imported conversations', () => {
    it('are stored whole with their times, and nothing in them waits or is unread', async () => {
      expect(await storage.imports.add([imported()])).toEqual([IMPORTED])
      await reopen()
      const page = await storage.messages.page(IMPORTED, { limit: 10 })
      expect(
        page?.messages.map(({ seq, senderId, message, createdAt }) => [seq, senderId, message, createdAt]),
      ).toEqual([
        [1, IMPORTED, 'Where is my lantern?', new Date(T0).toISOString()],
        [2, 'import:Greta', 'On its way.', new Date(T0 + MINUTE_MS).toISOString()],
        [3, IMPORTED, 'Thanks', new Date(T0 + 2 * MINUTE_MS).toISOString()],
      ])
      expect(page).toMatchObject({
        seq: 3,
        adminUnread: 0,
        read: { visitor: 3, admin: 3 },
        blockedUntil: null,
      })
      expect(await storage.conversations.record(IMPORTED)).toMatchObject({
        ...{ adminUnread: 0, waitingSince: null, lastMessage: { message: 'Thanks' } },
        inbox: { status: 'resolved', assigneeId: null, labels: [], version: 0 },
        visitor: { name: 'Imke', email: 'imke@visitors.example' },
      })
      const { activity } = await storage.inbox.activity(IMPORTED, { limit: 10 })
      expect(activity).toMatchObject([
        { n: 1, kind: 'note', by: ADMIN, at: T0 + MINUTE_MS, afterSeq: 1, data: { text: 'Patient' } },
      ])
      expect(await storage.conversations.totalAdminUnread()).toBe(0)
      expect((await storage.inbox.now(10)).waiting).toBe(0)
      expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({ open: 0, resolved: 1, all: 1 })
      expect((await storage.conversations.list({ limit: 10 })).conversations).toHaveLength(1)
    })

    it('stand in the list by their newest message, and do not wait when they are open', async () => {
      await append('Hello', { clientId: OTHER, at: T0 + 1 })
      const open = imported('Imported000000000002', { status: 'open' })
      const later = open.messages.map((message) => ({ ...message, createdAt: message.createdAt + MINUTE_MS }))
      await storage.imports.add([imported(), { ...open, messages: later }])
      const { conversations } = await storage.conversations.list({ limit: 10 })
      expect(conversations.map(({ clientId }) => clientId)).toEqual([OTHER, open.clientId, IMPORTED])
      expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({ open: 2, resolved: 1 })
      expect(await storage.inbox.now(10)).toMatchObject({ open: 2, waiting: 1 })
    })

    it('make no event and no job', async () => {
      await storage.events.begin()
      await storage.imports.add([imported()])
      await append('Hello')
      await expect
        .poll(async () => (await storage.events.after(0, 10)).map(({ clientId }) => clientId))
        .toContain(VISITOR)
      expect((await storage.events.after(0, 10)).some(({ clientId }) => clientId === IMPORTED)).toBe(false)
      const claimed = await storage.jobs.claim({
        now: Number.MAX_SAFE_INTEGER,
        leaseUntil: 1,
        limits: { alert: 9, mail: 9, escalation: 9 },
      })
      expect(claimed).toEqual([])
    })

    it('are open to no visitor', async () => {
      await storage.imports.add([imported()])
      for (const keyHash of [undefined, null, 'w'.repeat(43)]) {
        const sent = await append('Mine', { clientId: IMPORTED, keyHash })
        expect(sent.outcome).toBe('wrong-key')
      }
      expect((await storage.messages.page(IMPORTED, { limit: 10, keyHash: null }))?.messages).toEqual([])
    })

    it('are stored once, and leave a conversation that exists as it is', async () => {
      await append('Mine', { clientId: OTHER })
      await storage.imports.add([imported()])
      expect(await storage.imports.add([imported(), imported(OTHER)])).toEqual([])
      expect(await texts({}, OTHER)).toEqual(['Mine'])
      expect(await texts({}, IMPORTED)).toHaveLength(3)
      const found = await storage.imports.find([IMPORTED, OTHER, VISITOR])
      expect(found.get(IMPORTED)).toEqual({
        ...{ seq: 3, isChanged: false },
        nonces: new Set(['import-message-0', 'import-message-1', 'import-message-2', 'import-note-0']),
      })
      expect(found.get(OTHER)).toMatchObject({ seq: 1, isChanged: true })
      expect(found.has(VISITOR)).toBe(false)
    })

    it('go on as others do', async () => {
      await storage.imports.add([imported()])
      const answer = await append('One more thing', {
        clientId: IMPORTED,
        senderId: ADMIN,
        at: T0 + 9 * MINUTE_MS,
      })
      expect(answer).toMatchObject({ outcome: 'stored', message: { seq: 4 } })
      const record = await storage.conversations.record(IMPORTED)
      expect(record).toMatchObject({ inbox: { assigneeId: ADMIN, status: 'resolved' }, waitingSince: null })
      await storage.inbox.change(IMPORTED, { status: 'open' }, { by: ADMIN, at: T0 + 10 * MINUTE_MS })
      expect(await storage.conversations.record(IMPORTED)).toMatchObject({ waitingSince: null })
    })

    it('are removed with everything that belongs to them', async () => {
      await storage.imports.add([imported()])
      await storage.seenMarks.move(ADMIN, {
        ...{ clientId: IMPORTED, seq: 3, n: 1 },
        epoch: (await storage.conversations.find(IMPORTED))?.epoch ?? '',
      })
      await storage.conversations.markRead(IMPORTED, 'admin', 3)
      expect(await storage.imports.remove(IMPORTED)).toBe('removed')
      expect(await storage.imports.remove(IMPORTED)).toBe('missing')
      expect(await storage.messages.page(IMPORTED, { limit: 10 })).toBeNull()
      expect(await storage.conversations.record(IMPORTED)).toBeNull()
      expect(await storage.visitors.find(IMPORTED)).toBeNull()
      expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({ open: 0, resolved: 0, all: 0 })
      expect(await storage.imports.add([imported()])).toEqual([IMPORTED])
      expect(await texts({}, IMPORTED)).toHaveLength(3)
      expect((await storage.inbox.activity(IMPORTED, { limit: 10 })).activity).toHaveLength(1)
    })

    it.each<[string, () => Promise<unknown>]>([
      ['an answer', () => append('Hi', { clientId: IMPORTED, senderId: ADMIN })],
      ['a label', () => storage.inbox.change(IMPORTED, { labels: ['old'] }, { by: ADMIN, at: T0 })],
      ['a block', () => storage.inbox.block(IMPORTED, T0 * 2, { by: ADMIN, at: T0 })],
      [
        'a note',
        () =>
          storage.inbox.addNote({
            ...{ clientId: IMPORTED, by: ADMIN, text: 'Mine', mentions: [], nonce: 'nonce-of-note' },
            at: T0,
          }),
      ],
      ['an erase', () => storage.conversations.erase(IMPORTED)],
    ])('stay when %s changed them', async (_, change) => {
      await storage.imports.add([imported()])
      await change()
      expect((await storage.imports.find([IMPORTED])).get(IMPORTED)?.isChanged).toBe(true)
      expect(await storage.imports.remove(IMPORTED)).toBe('changed')
      expect(await storage.conversations.find(IMPORTED)).not.toBeNull()
    })

    it('are found by a search once a process has compared, and not after their removal', async () => {
      await append('A lantern, too', { at: T0 + 5 * MINUTE_MS })
      await storage.imports.add([imported()])
      const indexer = createIndexer({ storage, now: Date.now })
      indexer.start({ info() {}, error() {} })
      await expect
        .poll(() => words('lantern'), { timeout: 10_000 })
        .toEqual([`${VISITOR} 1`, `${IMPORTED} 1`])
      await storage.imports.remove(IMPORTED)
      expect(await words('lantern')).toEqual([`${VISITOR} 1`])
      await indexer.close()
    })

    it('count in reports on the days on which they happened, and no longer after their removal', async () => {
      const deriver = createDeriver({ storage, now: Date.now })
      await deriver.derive()
      await storage.imports.add([imported()])
      await deriver.derive()
      const parts = async () =>
        (await storage.reports.partsOf(IMPORTED)).map(({ data }) => JSON.parse(data).part)
      expect(await parts()).toMatchObject([
        { begins: true, messagesIn: 2, messagesOut: { 'import:Greta': 1 }, resolutions: [] },
      ])
      const day = new Date(T0).toISOString().slice(0, 10)
      const messagesIn = async () => {
        const figures = JSON.stringify(JSON.parse((await storage.reports.day(day))?.data ?? '{}'))
        return [...figures.matchAll(/"messagesIn":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
      }
      expect(await messagesIn()).toBe(2)
      await storage.imports.remove(IMPORTED)
      await deriver.derive()
      expect(await parts()).toEqual([])
      expect(await messagesIn()).toBe(0)
      await deriver.close()
    })
  })
}
