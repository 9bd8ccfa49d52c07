import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { createIndexer } from '../search/indexer.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openStorage, openStores, type StoreLocation } from '../storage/open-storage.ts'
import type { Source } from './foreign.ts'
import { type ImportOptions, runImport } from './import-run.ts'

const FIXTURES = join(import.meta.dirname, '../../test/imports')
const FILES: [Source, string][] = [
  ['chatwoot', 'chatwoot.json'],
  ['intercom', 'intercom.jsonl'],
  ['crisp', 'crisp.json'],
  ['csv', 'sheet.csv'],
]
const NOW = Date.UTC(2026, 5, 1)
const NOTHING = { conversations: 0, messages: 0, notes: 0, people: 0, replies: 0 }

let folder: string
/** The server's store. The import opens the same one again. */
let server: Storage
let storage: Storage

function describeImportRun(name: string, location: () => StoreLocation) {
  describe(`an import on ${name}`, () => {
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'import-'))
      const place = location()
      server = (await openStores(place)).storage
      storage = await openStorage(place)
      const user = { passwordHash: 'h', roles: ['Admin'], createdAt: 1 }
      const created = await server.users.createFirst({ ...user, userName: 'tarek' })
      const [admin] = await server.users.list()
      expect(created).toBeTruthy()
      await server.users.changeProfile(admin?._id ?? '', { email: 'Tarek@Desk.example' })
    })
    afterEach(async () => {
      await storage.close()
      await server.close()
      rmSync(folder, { recursive: true })
    })

    const run = (source: Source, file: string, options: Partial<ImportOptions> = {}) =>
      runImport({ storage, source, file, mode: 'import', now: NOW, ...options })
    const fixture = (source: Source, options?: Partial<ImportOptions>) =>
      run(source, join(FIXTURES, FILES.find(([name]) => name === source)?.[1] ?? ''), options)
    const given = (value: unknown, source: Source = 'chatwoot', options?: Partial<ImportOptions>) => {
      const file = join(folder, 'given')
      writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
      return run(source, file, options)
    }
    const list = async () => (await server.conversations.list({ limit: 100 })).conversations
    async function texts(name: string | null) {
      const found = (await list()).find(({ visitor }) => visitor.name === name)
      if (found === undefined) return null
      const page = await server.messages.page(found.clientId, { limit: 200 })
      return page?.messages.map(({ senderId, message }) => [
        senderId === found.clientId ? 'visitor' : senderId,
        message,
      ])
    }
    const message = (id: number, content: string, fields: object = {}) => ({
      ...{
        id,
        content,
        message_type: 0,
        content_type: 'text',
        private: false,
        created_at: 1_709_280_000 + id,
      },
      ...fields,
    })
    const conversation = (id: number, messages: unknown, fields: object = {}) => ({
      ...{ id, status: 'resolved', meta: { sender: { id, name: `Person ${id}` } }, messages },
      ...fields,
    })

    it('reads what Chatwoot, Intercom, Crisp, and a spreadsheet export', async () => {
      const [admin] = await server.users.list()
      expect(await fixture('chatwoot')).toMatchObject({
        conversations: 2,
        messages: 3,
        notes: 1,
        people: 2,
        replies: 1,
      })
      expect(await fixture('intercom')).toMatchObject({
        conversations: 2,
        messages: 4,
        notes: 1,
        people: 2,
        replies: 0,
      })
      expect(await fixture('crisp')).toMatchObject({
        conversations: 1,
        messages: 3,
        notes: 1,
        people: 1,
        replies: 1,
      })
      expect(await fixture('csv')).toMatchObject({
        conversations: 2,
        messages: 4,
        notes: 1,
        people: 1,
        replies: 0,
      })
      expect(await texts('Imke Vossbrink')).toEqual([
        ['visitor', 'Can I move my booking to the 4th?'],
        [admin?._id, 'Yes, it is moved.\nFile: new ticket.pdf'],
      ])
      expect(await texts('Bertil Okonkwo')).toEqual([
        ['visitor', 'Where do I find my receipt?'],
        ['import:Sanna Reuter', 'Under Account.\nThen Bills.\nFile: menu.png'],
      ])
      expect(await texts('Wanda Lindqvist')).toEqual([
        ['import:Ilse Marchand', 'We changed our prices.'],
        ['visitor', 'Thanks for telling me.'],
      ])
      expect(await texts('Casimir Holt')).toEqual([
        ['visitor', 'The map does not load.'],
        ['import:Mirela', 'Please update your browser.'],
        ['visitor', 'File: screen.png'],
      ])
      expect(await texts('Anna Quist')).toEqual([
        ['visitor', 'Hello; is "Anna"\nthere?'],
        ['import:Greta', 'I will look.'],
        [admin?._id, 'Yes.'],
      ])
      const times = (await list()).map(({ lastMessage }) => lastMessage.createdAt)
      expect(times).toEqual(times.toSorted().reverse())
      expect(
        (await list()).every(({ waitingSince, adminUnread }) => waitingSince === null && adminUnread === 0),
      ).toBe(true)
      expect((await server.replies.list()).map(({ shortcut, text }) => [shortcut, text])).toEqual([
        ['hours', 'Hello {{visitor.name}}, we are here from nine to five.'],
        ['update', 'Please update your browser.'],
      ])
      expect((await server.audit.list({ limit: 10 })).map(({ action }) => action)).toEqual(
        Array(4).fill('import.ran'),
      )
    })

    it.each(FILES.map(([source]) => source))(
      'of %s adds nothing a second time, says it before, and is undone',
      async (source) => {
        const before = await fixture(source, { mode: 'dry-run' })
        expect(await list()).toEqual([])
        expect(await server.replies.list()).toEqual([])
        expect(await server.documents.read('import-key')).toBeNull()
        const { leftOut, ...counts } = await fixture(source)
        expect(before).toEqual({ ...counts, leftOut })
        expect(await fixture(source)).toEqual({ ...NOTHING, leftOut })
        expect(await fixture(source, { mode: 'undo' })).toEqual({ ...counts, leftOut: [] })
        expect(await list()).toEqual([])
        expect(await server.replies.list()).toEqual([])
        expect(await fixture(source)).toEqual({ ...counts, leftOut })
      },
    )

    it('lists what it leaves out', async () => {
      expect((await fixture('chatwoot')).leftOut).toEqual([
        { place: 'conversation 41, message 7002', reason: 'Its type is activity' },
        { place: 'conversation 41, message 7005', reason: 'Its content type is input_csat' },
        { place: 'conversation 41, message 7006', reason: 'Its type is template' },
        { place: 'conversation 43', reason: 'It has no messages' },
        { place: 'canned response odd', reason: 'There is no variable {{order.id}}' },
      ])
      expect((await fixture('crisp')).leftOut).toMatchObject([{ reason: 'Its type is event' }])
      expect((await fixture('intercom')).leftOut.at(-1)).toEqual({
        place: 'contact u-3',
        reason: 'The person has no conversation',
      })
    })

    it('resumes after it was interrupted', async () => {
      const many = Array.from({ length: 350 }, (_, index) =>
        conversation(index + 1, [message(1, `Text ${index}`)]),
      )
      const stopped = new AbortController()
      await expect(
        given(many, 'chatwoot', {
          signal: stopped.signal,
          onProgress: ({ conversations }) => conversations > 0 && stopped.abort(),
        }),
      ).rejects.toThrow()
      const first = (await list()).length
      expect(first).toBeGreaterThan(0)
      expect(await given(many)).toMatchObject({ conversations: 350 - first, messages: 350 - first })
      expect(await given(many)).toMatchObject({ conversations: 0, messages: 0 })
    })

    it('undoes what did not change, and lists the rest', async () => {
      await fixture('chatwoot')
      const [changed] = await list()
      await server.inbox.change(changed?.clientId ?? '', { labels: ['kept'] }, { by: null, at: NOW })
      const [reply] = await server.replies.list()
      await server.replies.update(reply?._id ?? '', { text: 'Other' }, 1)
      expect(await fixture('chatwoot', { mode: 'undo' })).toEqual({
        ...{ ...NOTHING, conversations: 1, messages: 2, notes: 1, people: 1 },
        leftOut: [
          { place: 'conversation 42', reason: 'It was changed after the import, so it stays' },
          { place: 'canned response Hours', reason: 'It was changed after the import, so it stays' },
        ],
      })
      expect(await list()).toHaveLength(1)
    })

    it('does not bring back what was erased, and adds nothing to a conversation that is stored', async () => {
      await given([conversation(1, [message(1, 'Erase me')]), conversation(2, [message(1, 'Keep me')])])
      const erased = (await list()).find(({ visitor }) => visitor.name === 'Person 1')
      await server.conversations.erase(erased?.clientId ?? '')
      const again = await given([
        conversation(1, [message(1, 'Erase me')]),
        conversation(2, [message(1, 'Keep me'), message(2, 'New')]),
      ])
      expect(again).toEqual({
        ...NOTHING,
        leftOut: [
          { place: 'conversation 1', reason: 'It was erased after an earlier import' },
          {
            place: 'conversation 2, message 2',
            reason: 'It is new in a conversation that was imported before. Undo that import first',
          },
        ],
      })
      expect(await texts('Person 1')).toBeNull()
    })

    it('takes hostile and broken values as text, or says why not', async () => {
      const long = `${'word '.repeat(1_000)}end`
      const result = await given([
        conversation(1, [
          message(2, 'second'),
          message(1, 'first \u0000\u0007\ud800\r\nline'),
          message(1, 'first \u0000\u0007\ud800\r\nline'),
          message(2, 'another second'),
          message(3, '<p>Hi<script>alert(1)</script> &amp; <b>bye</b></p>'),
          message(4, ' \u200b '),
          message(5, long),
          message(6, 'no time', { created_at: 'soon' }),
          message(7, 'later', { created_at: NOW / 1_000 + 5 }),
          message(8, 'before', { created_at: -1 }),
          message(9, 'odd', { message_type: 'sideways' }),
        ]),
        conversation(2, [message(1, 'x')], {
          meta: { sender: { name: 'See https://evil.example', email: 'nowhere' } },
        }),
        { id: 3, messages: [null, 5, 'x', {}] },
        'text',
        { id: {}, messages: [] },
      ])
      expect(result).toMatchObject({ conversations: 2, messages: 6, notes: 0, people: 1 })
      const [first, second, html, ...parts] = ((await texts('Person 1')) ?? []).map(([, text]) => text)
      expect([first, second, html]).toEqual(['first \ufffd\nline', 'second', 'Hi & bye'])
      expect(parts.join(' ')).toBe(long)
      expect(result.leftOut).toEqual([
        { place: 'conversation 1, message 9', reason: 'Its type is sideways' },
        { place: 'conversation 1, message 2', reason: 'Another message of this conversation has its ID' },
        { place: 'conversation 1, message 4', reason: 'It has no text' },
        { place: 'conversation 1, message 6', reason: 'Its time cannot be read' },
        { place: 'conversation 1, message 7', reason: 'Its time is in the future' },
        { place: 'conversation 1, message 8', reason: 'Its time cannot be read' },
        { place: 'conversation 2, name', reason: expect.stringContaining('name') },
        { place: 'conversation 2, email', reason: 'The email address is not valid' },
        { place: 'conversation 3, message without an ID', reason: 'Its type is undefined' },
        { place: 'conversation 3', reason: 'It has no messages' },
        { place: 'record 4', reason: 'It is neither a conversation nor a canned response' },
        { place: 'record 5', reason: 'It is neither a conversation nor a canned response' },
      ])
    })

    it('leaves out what the settings would erase at once', async () => {
      await server.documents.write('settings', { retentionDays: 30 }, 0)
      const recent = message(1, 'Recent', { created_at: NOW / 1_000 - 86_400 })
      expect(await given([conversation(1, [message(1, 'Old')]), conversation(2, [recent])])).toMatchObject({
        conversations: 1,
        leftOut: [{ place: 'conversation 1', reason: expect.stringContaining('older than the 30 days') }],
      })
    })

    it('is found in a search of a running server', async () => {
      let now = Date.now()
      const found = async (term: string) =>
        (await server.search.find({ whole: [term], beginning: [] }, { limit: 10 })).found.length
      const indexer = createIndexer({ storage: server, now: () => now })
      const compare = async () => {
        now += 24 * 60 * 60 * 1_000
        indexer.start({ info() {}, error() {} })
        await expect.poll(() => indexer.settle(), { timeout: 10_000 }).toBe(true)
      }
      await given([conversation(1, [message(1, 'lantern')])])
      await compare()
      await compare()
      await given([conversation(2, [message(1, 'lantern')])])
      await expect
        .poll(
          async () => {
            await compare()
            return found('lantern')
          },
          { timeout: 10_000 },
        )
        .toBe(2)
      await indexer.close()
    })
  })
}

describeImportRun('SQLite', () => ({ dataDir: join(folder, 'data') }))
describeOnMongo('on MongoDB', (freshUrl) => {
  describeImportRun('MongoDB', () => ({ dataDir: join(folder, 'data'), mongodbUrl: freshUrl() }))
})
