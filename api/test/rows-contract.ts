import { beforeEach, describe, expect, it } from 'vitest'
import type { PlainTable, Rows } from '../src/storage/model/plain-table.ts'
import { PLAIN_TABLES, type PlainRows, plainTable } from '../src/storage/model/plain-tables.ts'
import { keyRecord } from './storage-contract/api-keys.ts'
import { endpointRecord } from './storage-contract/endpoints.ts'
import { siteRecord } from './storage-contract/sites.ts'
import { ADMIN, T0, VISITOR } from './storage-contract/store-under-test.ts'

type Row = Record<string, unknown>

const id = (digit: number) => String(digit).repeat(24)
const hash = (digit: number) => String(digit).repeat(43)

/** A row of each table. That of 1 comes after that of 0 in the order of its last index. */
const ROWS: { [N in keyof PlainRows]: (digit: number) => PlainRows[N] } = {
  users: (digit) => ({
    ...{ _id: id(digit), userName: `User ${digit}`, nameKey: `user ${digit}`, passwordHash: 'hash' },
    ...{ roles: ['Admin', 'a.b'], createdAt: T0, disabled: digit === 1, credentialVersion: digit },
    ...{ keptSessionId: null, displayName: null, onDuty: false, email: null },
    ...{ timeZone: 'America/Argentina/ComodRivadavia', weeklyFrom: null },
    ...{ face: `/uploads/${String(digit).repeat(40)}.webp` },
    ...{ inviteHash: null, inviteExpiresAt: null },
    factors: { version: digit, totp: { sealed: 'sealed', lastStep: 1 }, recovery: [hash(1)], passkeys: [] },
  }),
  sessions: (digit) => ({
    ...{ _id: id(digit), userId: ADMIN, currentHash: hash(digit), previousHash: null },
    ...{ createdAt: T0 + digit, expiresAt: T0 + digit, credentialVersion: 3 },
    ...{ device: 'Safari on Mac', network: null, usedAt: T0 + digit, confirmedAt: T0 },
  }),
  blogs: (digit) => ({
    ...{ _id: id(digit), slug: `post-${digit}`, title: '你好 😀', summary: 'S', img: '/i.svg', imgAlt: null },
    ...{ content: '<p>"$where"</p>', createdAt: T0 + digit, updatedAt: T0, version: 1 + digit },
    ...{
      publishAt: T0 + digit,
      authorId: ADMIN,
      editedBy: null,
      lang: 'zh',
      readingMinutes: 1,
      demo: digit === 1,
    },
  }),
  challenges: (digit) => ({
    ...{ _id: hash(digit), userId: ADMIN, boundTo: hash(9), credentialVersion: 3, sealed: null },
    expiresAt: T0 + digit,
  }),
  contacts: (digit) => ({
    ...{ _id: id(digit), email: 'sam@example.com', title: 'A title', message: '你好 😀 "$where"\n' },
    ...{ createdAt: T0 + digit, doneAt: null },
  }),
  replies: (digit) => ({ _id: id(digit), shortcut: `hello-${digit}`, text: 'Hello', version: 1 + digit }),
  languages: (digit) => ({ tag: `${'abc'[digit]}a`, file: '{"view.send":"发送"}', changedAt: T0 + digit }),
  documents: (digit) => ({ name: `document-${'abc'[digit]}`, version: 1 + digit, value: '{"a.b":["$c"]}' }),
  addresses: (digit) => ({
    ...{ _id: hash(digit), places: [{ name: hash(9), at: T0 }], unsubscribedAt: null, expiresAt: T0 + digit },
  }),
  answers: (digit) => ({ _id: id(digit), at: T0 + digit, waitedMs: 20 }),
  subscriptions: (digit) => ({
    ...{ _id: hash(digit), userId: ADMIN, sessionId: id(digit), endpoint: 'https://push.example' },
    ...{ p256dh: 'p'.repeat(87), auth: 'a'.repeat(22), label: 'Firefox', previews: digit % 2 === 1 },
    ...{ createdAt: T0 + digit, retryAt: 0 },
  }),
  mails: (digit) => ({ hash: String(digit).repeat(43), expiresAt: digit }),
  links: (digit) => ({
    ...{ hash: hash(digit), kind: 'resume', clientId: VISITOR, epoch: 'epoch', addressId: null },
    expiresAt: T0 + digit,
  }),
  identities: (digit) => ({
    _id: hash(digit),
    siteId: `Site${digit}`.padEnd(20, '0'),
    clientId: `Client${digit}`.padEnd(20, '0'),
  }),
  remembered: (digit) => ({
    ...{ hash: hash(digit), siteId: 'Site'.padEnd(20, '0'), clientId: VISITOR, epoch: 'epoch' },
    expiresAt: T0 + digit,
  }),
  sites: (digit) => siteRecord(`site${digit}`, { version: 1 + digit, enabled: digit === 1 }),
  events: (digit) => ({
    ...{ _id: `message.created ${id(digit)}`, number: 1 + digit, type: 'message.created' },
    ...{ at: T0 + digit, clientId: VISITOR, n: 1 },
  }),
  endpoints: (digit) => endpointRecord(digit, { version: 1 + digit, notes: digit === 1 }),
  retries: (digit) => ({
    ...{ _id: `${id(digit)} ${VISITOR}`, endpoint: id(digit), subject: VISITOR },
    ...{ event: 7 + digit, attempts: 1 + digit, dueAt: T0 + digit },
  }),
  deliveries: (digit) => ({
    ...{ _id: id(digit), endpoint: id(2), event: digit, type: 'note.created', at: T0 },
    ...{ clientId: `Client${digit}`.padEnd(20, '0'), attempt: 1 + digit, status: 500, error: null },
    ...{ ms: 7, answer: '你好 😀' },
  }),
  apiKeys: (digit) => keyRecord(String(digit)),
  suggestionCounts: (digit) => ({
    ...{ _id: `/faq#cost 2026-11-2${digit}`, day: `2026-11-2${digit}` },
    ...{ opened: digit, asked: 1 },
  }),
  previewLinks: (digit) => ({ _id: id(digit), hash: hash(digit), expiresAt: T0 + digit }),
  savedSearches: (digit) => ({
    ...{ _id: id(digit), userId: ADMIN, name: `Ärger ${digit}`, nameKey: `ärger ${digit}` },
    query: 'q=%22$where%22&from=visitor',
  }),
  texts: (digit) => ({
    ...{ _id: `zh faq:question-${digit}`, version: 1 + digit, at: T0 + digit, by: ADMIN, own: digit === 1 },
    ...{ base: null, fields: '{"a.b":"$c 你好"}' },
  }),
  versions: (digit) => ({
    ...{ _id: `post ${id(1)} ${String(digit).padStart(12, '0')}`, at: T0 + digit, by: null },
    fields: '{"title":"你好"}',
  }),
  pictures: (digit) => {
    const version = `text en home ${String(digit).padStart(12, '0')}`
    return { _id: `${'ab'.repeat(20)} ${version}`, version }
  },
  keptFigures: (digit) => ({ _id: hash(digit), quarter: 1_900_000 + digit, data: '{"group":{}}' }),
  audit: (digit) => ({
    ...{ _id: String(digit).padStart(16, '0'), at: T0 + digit, by: ADMIN, action: 'post.deleted' },
    ...{ target: id(1), details: '{"title":"你好"}', address: '192.0.2.0/24' },
    ...{ hash: String(digit).repeat(64), source: id(digit) },
  }),
}

/** What the rows of every plain table do in a store. `open` opens the table in an empty store. */
export function describeRows(store: string, open: (table: PlainTable<Row>) => Promise<Rows<Row>>): void {
  describe.each(Object.keys(PLAIN_TABLES) as (keyof PlainRows)[])(`rows of %s on ${store}`, (name) => {
    const table = plainTable(name) as PlainTable<Row>
    const [first, second] = [ROWS[name](0), ROWS[name](1)] as unknown as [Row, Row]
    const keyOf = (row: Row) => ({ [table.key]: row[table.key] })
    const unique = uniqueOf(table, first)
    const [likeFirst, likeSecond] = [comparable(table, first), comparable(table, second)]
    let rows: Rows<Row>
    beforeEach(async () => {
      rows = await open(table)
    })

    it('are found as they were inserted, once', async () => {
      expect(await rows.find(keyOf(first))).toBeNull()
      expect(await rows.insert(first)).toBe(true)
      expect(await rows.insert(first)).toBe(false)
      expect(await rows.insert(second)).toBe(true)
      expect(await rows.find(keyOf(first))).toEqual(first)
      expect(await rows.find(likeSecond)).toEqual(second)
    })

    it('are changed and removed only while they are as expected', async () => {
      await rows.insert(first)
      await rows.insert(second)
      const { [table.key]: _, ...changed } = { ...second, ...unique }
      expect(await rows.update({ ...likeFirst, ...keyOf(second) }, changed)).toBe('missing')
      expect(await rows.update(likeFirst, changed)).toBe('updated')
      expect(await rows.update(likeFirst, changed)).toBe('missing')
      expect(await rows.remove({ ...likeFirst, ...keyOf(second) })).toBe(0)
      expect(await rows.remove(likeSecond)).toBe(1)
      expect(await rows.find(keyOf(second))).toBeNull()
      expect(await rows.find(keyOf(first))).toEqual({ ...changed, ...keyOf(first) })
    })

    it('are answered as they are after a change', async () => {
      await rows.insert(first)
      const { [table.key]: _, ...changed } = { ...second, ...unique }
      expect(await rows.change({ ...likeFirst, ...keyOf(second) }, changed)).toBeNull()
      expect(await rows.change(likeFirst, changed)).toEqual({ ...changed, ...keyOf(first) })
      expect(await rows.change(likeFirst, changed)).toBeNull()
      expect(await rows.find(keyOf(first))).toEqual({ ...changed, ...keyOf(first) })
    })

    const indexed = Object.values(table.indexes).flatMap((index) => Object.keys(index.by))
    for (const by of indexed.slice(-1)) {
      it('are listed, counted and removed along an index', async () => {
        const least = first[by] as string | number
        for (const row of [second, first]) await rows.insert(row)
        expect(await rows.list({}, { order: { [by]: 1 } })).toEqual([first, second])
        expect(await rows.list({}, { order: { [by]: -1 }, limit: 1, offset: 1 })).toEqual([first])
        expect(await rows.list({ [by]: { '>': least } }, { order: { [by]: 1 } })).toEqual([second])
        expect(await rows.count()).toBe(2)
        expect(await rows.count({ [by]: { '>': least } })).toBe(1)
        expect(await rows.remove({ [by]: { '<': least } })).toBe(0)
        expect(await rows.remove({ [by]: { '<=': least } })).toBe(1)
        expect(await rows.count()).toBe(1)
      })
    }

    for (const field of Object.keys(unique)) {
      it(`do not take the ${field} of another`, async () => {
        for (const row of [first, second]) await rows.insert(row)
        // Numbers are never changed, and not every server compares those that an update sets.
        if (typeof unique[field] === 'string') {
          expect(await rows.update(keyOf(second), unique)).toBe('duplicate')
        }
        expect(await rows.insert({ ...second, ...keyOf(first) })).toBe(false)
        expect(await rows.find(likeSecond)).toEqual(second)
      })
    }
  })
}

/** Without objects and lists that MongoDB stores as they are: no condition compares them. */
function comparable({ native = [] }: PlainTable<Row>, row: Row): Row {
  const isCompared = ([field, value]: [string, unknown]) =>
    typeof value !== 'object' || value === null || (Array.isArray(value) && !native.includes(field))
  return Object.fromEntries(Object.entries(row).filter(isCompared))
}

/** The fields of its unique indexes. */
function uniqueOf(table: PlainTable<Row>, row: Row): Row {
  const unique = Object.values(table.indexes).filter((index) => index.unique)
  return Object.fromEntries(unique.flatMap(({ by }) => Object.keys(by)).map((field) => [field, row[field]]))
}
