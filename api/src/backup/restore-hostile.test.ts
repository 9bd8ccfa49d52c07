import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fill } from '../../test/filled-store.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { temporaryDir } from '../../test/server-process.ts'
import type { Entry, Table } from '../storage/copy/copied-tables.ts'
import type { Counts } from '../storage/copy/store-copy.ts'
import { openBackup, writeBackup } from '../storage/files/backup-file.ts'
import { openCopySource, openCopyTarget, openStores, type StoreLocation } from '../storage/open-storage.ts'
import { checkSource, copyStore } from './copy-store.ts'

vi.setConfig({ testTimeout: 120_000 })

type Line = [Table, Record<string, unknown>]

let dir: ReturnType<typeof temporaryDir>
let file: string
/** The header and the rows of a good backup, without its end. */
let header: Record<string, unknown>
let good: Line[]

beforeAll(async () => {
  dir = temporaryDir('hostile-backup')
  const location = { dataDir: join(dir.path, 'source') }
  const stores = await openStores(location)
  await fill(stores)
  await stores.storage.close()
  const source = await openCopySource(location)
  const written = join(dir.path, 'good.backup')
  await writeBackup(source, written)
  await source.close()
  const lines = gunzipSync(readFileSync(written)).toString().trimEnd().split('\n')
  header = JSON.parse(lines[0] ?? '')
  good = lines.slice(1, -1).map((line) => JSON.parse(line))
  file = join(dir.path, 'hostile.backup')
})
afterAll(() => dir.remove())

/** A backup of these rows with correct counts and hash, so that only the rows can be wrong. */
function write(rows: (Line | string)[], first: object = header): void {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
  const body = [JSON.stringify(first), ...lines].map((line) => `${line}\n`).join('')
  const counts = { ...(header.counts as Counts) }
  for (const table of Object.keys(counts) as Table[]) {
    counts[table] = lines.filter(
      (line) => line.startsWith(`["${table}"`) && !line.includes('"last":false'),
    ).length
  }
  const sha256 = createHash('sha256').update(body).digest('hex')
  writeFileSync(file, gzipSync(`${body}${JSON.stringify(['end', { counts, sha256 }])}\n`, { level: 1 }))
}

const clone = () => structuredClone(good)
/** The good rows with one field of the first row of a table changed. */
function withField(table: Table, field: string, value: unknown): Line[] {
  const rows = clone()
  const row = rows.find(([found]) => found === table)?.[1]
  if (row === undefined) throw new Error(`The backup has no ${table}.`)
  row[field] = value
  return rows
}
/** The good rows with one field of a visitor's data changed. */
function withVisitor(field: string, value: unknown): Line[] {
  const rows = clone()
  const visitor = rows.find(([table, row]) => table === 'conversations' && row.visitor)?.[1].visitor
  if (visitor === undefined) throw new Error('The backup knows no visitor.')
  ;(visitor as Record<string, unknown>)[field] = value
  return rows
}
function withRow(table: Table, row: Record<string, unknown>): Line[] {
  const rows = clone()
  const at = rows.findLastIndex(([found]) => found === table)
  return rows.toSpliced(at + 1, 0, [table, row])
}
function twice(table: Table): Line[] {
  const rows = clone()
  const at = rows.findIndex(([found, row]) => found === table && row.last !== false)
  return rows.toSpliced(at + 1, 0, rows[at] as Line)
}
const firstOf = (table: Table) => clone().find(([found]) => found === table)?.[1] ?? {}
const image = Buffer.from('a picture').toString('base64')
const HASH = 'ef'.repeat(20)
const upload = (name: string, rest: object = {}) =>
  withRow('uploads', { name, base64: image, last: true, ...rest })

const HOSTILE: [string, () => (Line | string)[]][] = [
  ['an upload outside the folder', () => upload('../../../../escaped.png')],
  ['an upload with an absolute path', () => upload('/tmp/escaped.png')],
  ['an upload with a backslash', () => upload('..\\escaped.png')],
  ['an upload with a NUL', () => upload(`${HASH}.png\0.svg`)],
  ['an upload with a line break', () => upload(`${HASH}.png\n`)],
  ['an upload of another type', () => upload(`${HASH}.html`)],
  ['an upload in capitals', () => upload(`${HASH.toUpperCase()}.png`)],
  ['an upload of an unknown width', () => upload(`${HASH}-481.webp`)],
  ['an upload named like a partial file', () => upload(`${HASH}.part`)],
  ['an upload without a name', () => upload('')],
  ['an upload whose name is a list', () => upload(`${HASH}.png`, { name: [`${HASH}.png`] })],
  ['an upload that is no base64', () => upload(`${HASH}.png`, { base64: '../..' })],
  ['an upload that never ends', () => upload(`${HASH}.png`, { last: false })],
  [
    'an upload that changes its name between its parts',
    () => {
      const rows = clone()
      const at = rows.findIndex(([, row]) => row.last === false)
      const next = rows[at + 1]?.[1] as Record<string, unknown>
      next.name = `${HASH}.png`
      return rows
    },
  ],
  [
    'an upload of 70 MB',
    () => {
      const base64 = Buffer.alloc(192 * 1_024).toString('base64')
      const part = (last: boolean): Line => ['uploads', { name: `${HASH}.png`, base64, last }]
      return [...Array.from({ length: 370 }, () => part(false)), part(true), ...clone()]
    },
  ],
  ['an upload twice', () => twice('uploads')],
  ['a user twice', () => twice('users')],
  ['a post twice', () => twice('blogs')],
  ['a message twice', () => twice('messages')],
  ['a conversation twice', () => twice('conversations')],
  ['an address twice', () => twice('addresses')],
  ['an address that is named', () => withField('addresses', '_id', 'sam@example.com')],
  ['an answer twice', () => twice('answers')],
  ['an answer after a negative time', () => withField('answers', 'waitedMs', -1)],
  ['a document twice', () => twice('documents')],
  ...(
    [
      ['faq', 5],
      ['faq', { items: [5], own: [] }],
      ['inbound', null],
      ['settings', { hoursHistory: 5 }],
      ['settings', { hours: { timeZone: 'Europe/Berlin', spans: 5, closed: [] } }],
      ['vapid', { publicKey: '', privateKey: 7 }],
      ['address-key', ['k']],
    ] as const
  ).map(([name, value]): [string, () => Line[]] => {
    const json = JSON.stringify(value)
    return [
      `${json} for ${name}`,
      () => [
        ...clone().filter(([table]) => table !== 'documents'),
        ['documents', { name, version: 1, value: json }],
      ],
    ]
  }),
  ['a document that is no JSON', () => withField('documents', 'value', '{')],
  ...(
    [
      ['audit', 'details'],
      ['texts', 'fields'],
      ['versions', 'fields'],
      ['languages', 'file'],
    ] as const
  ).flatMap(([table, field]) =>
    ['ts', 'null', '[]'].map((json): [string, () => Line[]] => [
      `${json} for the ${field} in ${table}`,
      () => withField(table, field, json),
    ]),
  ),
  ['a milestone twice', () => twice('milestones')],
  ['two posts of one slug', () => withRow('blogs', { ...firstOf('blogs'), _id: 'f'.repeat(24) })],
  [
    'two canned replies of one shortcut',
    () => withRow('replies', { ...firstOf('replies'), _id: 'f'.repeat(24) }),
  ],
  ['a shortcut that is a path', () => withField('replies', 'shortcut', '../x')],
  ['a canned reply of a megabyte', () => withField('replies', 'text', 'x'.repeat(1_000_000))],
  ['a canned reply of version zero', () => withField('replies', 'version', 0)],
  [
    'two users of one name',
    () => withRow('users', { ...firstOf('users'), _id: 'f'.repeat(24), userName: 'ZOE\u0308' }),
  ],
  [
    'two messages of one nonce',
    () => {
      const rows = clone()
      const [first, second] = rows.filter(([table]) => table === 'messages')
      if (first && second) second[1].nonce = first[1].nonce
      return rows
    },
  ],
  [
    'messages out of order',
    () => {
      const rows = clone()
      const at = rows.findIndex(([table]) => table === 'messages')
      return rows.with(at, rows[at + 1] as Line).with(at + 1, rows[at] as Line)
    },
  ],
  [
    'messages without their conversation',
    () => clone().filter(([table, row]) => table !== 'conversations' || row.seq !== 6),
  ],
  ['a message of another epoch', () => withField('messages', 'epoch', 'another')],
  ['a display name of a megabyte', () => withField('users', 'displayName', 'x'.repeat(1_000_000))],
  ['an empty display name', () => withField('users', 'displayName', '')],
  ['an admin who is on duty by an operator', () => withField('users', 'onDuty', { $ne: false })],
  ['an email that is a list', () => withField('users', 'email', ['sam@example.com'])],
  ['an invitation that is an operator', () => withField('users', 'inviteHash', { $gt: '' })],
  ['an invitation without an end', () => withField('users', 'inviteExpiresAt', 1e300)],
  ['an id that is an operator', () => withField('users', '_id', { $gt: '' })],
  ['an id that is a path', () => withField('contacts', '_id', '../../x')],
  ['a clientId that is too short', () => withField('conversations', 'clientId', 'short')],
  ['a number for a text', () => withField('contacts', 'message', 7)],
  ['a text for a time', () => withField('blogs', 'createdAt', '2026')],
  ['a time that is too large', () => withField('blogs', 'createdAt', 1e300)],
  ['a negative time', () => withField('contacts', 'createdAt', -1)],
  ['a seq of zero', () => withField('messages', 'seq', 0)],
  ['a seq with a fraction', () => withField('messages', 'seq', 1.5)],
  ['a flag that is a number', () => withField('users', 'disabled', 1)],
  ['roles that are a text', () => withField('users', 'roles', 'Admin')],
  ['a thousand roles', () => withField('users', 'roles', Array(1_000).fill('Admin'))],
  ['a password that is no argon2id hash', () => withField('users', 'passwordHash', 'secret')],
  [
    'a password hash that takes 4 GB',
    () =>
      withField(
        'users',
        'passwordHash',
        `$argon2id$v=19$m=4194304,t=2,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`,
      ),
  ],
  ['a message of a megabyte', () => withField('messages', 'message', 'x'.repeat(1_000_000))],
  ['a post of ten megabytes', () => withField('blogs', 'content', 'x'.repeat(10_000_000))],
  ['a name of ten thousand letters', () => withField('reviews', 'name', 'x'.repeat(10_000))],
  ['a picture that is a path', () => withField('users', 'face', '/uploads/../jwt-secret')],
  ['a picture that is a script', () => withField('users', 'face', 'javascript:alert(1)')],
  ['a lone surrogate', () => withField('contacts', 'title', '\ud800')],
  ['a NUL in a text', () => withField('contacts', 'title', 'a\0b')],
  ['a read count above all messages', () => withField('conversations', 'adminReadCount', 1e9)],
  ...(
    [
      ['a visitor without a field', 'name', undefined],
      ['a visitor with a field too many', 'isAdmin', true],
      ['a name of a visitor of ten thousand letters', 'name', 'x'.repeat(10_000)],
      ['a NUL in the name of a visitor', 'name', 'a\0b'],
      ['a text for an exam', 'examAt', 'soon'],
      ['a time zone that is a path', 'timeZone', '../x'],
      ['a page that is a script', 'page', 'javascript:alert(1)'],
      ['a card that is no id', 'card', '<b>'],
      ['a referrer that is a script', 'referrer', 'javascript:alert(1)'],
    ] as const
  ).map(([name, field, value]): (typeof HOSTILE)[number] => [name, () => withVisitor(field, value)]),
  ['an entry of no kind', () => withField('activity', 'kind', '__proto__')],
  ['an entry with the data of another kind', () => withField('activity', 'kind', 'note')],
  ['an entry with the number zero', () => withField('activity', 'n', 0)],
  ['an entry of another epoch', () => withField('activity', 'epoch', 'another')],
  ['an entry of another conversation', () => withField('activity', 'clientId', 'x'.repeat(20))],
  ['an entry with a list for its data', () => withField('activity', 'data', [])],
  ['an entry by an operator', () => withField('activity', 'by', { $gt: '' })],
  ...(
    [
      ['a note of a megabyte', 'text', 'x'.repeat(1_000_000)],
      ['a note with a NUL', 'text', 'a\0b'],
      ['a note without words', 'text', undefined],
      ['a note with a field too many', 'html', '<p>'],
      ['a note that mentions an operator', 'mentions', [{ $gt: '' }]],
    ] as const
  ).map(([name, field, value]): (typeof HOSTILE)[number] => [
    name,
    () => {
      const rows = clone()
      const note = rows.find(([table, row]) => table === 'activity' && row.kind === 'note')
      Object.assign(note?.[1].data as object, { [field]: value })
      return rows
    },
  ]),
  [
    'the same entry twice',
    () => {
      const rows = clone()
      const at = rows.findIndex(([table]) => table === 'activity')
      return rows.toSpliced(at, 0, rows[at] as Line)
    },
  ],
  [
    'entries before their messages',
    () => {
      const rows = clone()
      const at = rows.findIndex(([table]) => table === 'activity')
      const first = rows.findIndex(([table]) => table === 'messages')
      return rows.toSpliced(at, 1).toSpliced(first, 0, rows[at] as Line)
    },
  ],
  [
    'two notes of one nonce',
    () => {
      const rows = clone()
      const [first, second] = rows.filter(([table]) => table === 'activity') as [Line, Line]
      for (const [, row] of [first, second]) row.nonce = 'the-same-nonce'
      return rows
    },
  ],
  ...(
    [
      ['clientId', '../../etc/passwd12345'],
      ['clientId', { $ne: null }],
      ['senderId', ''],
      ['nonce', '../../../nonce'],
      ['keyHash', ['k']],
      ['name', '../../etc/passwd.webp'],
      ['name', 'evil\u202egpj.webp'],
      ['name', 'a\r\nSet-Cookie: x.webp'],
      ['name', 'setup.exe'],
      ['name', `${'x'.repeat(1_000_000)}.webp`],
      ['type', 'text/html'],
      ['type', 'image/svg+xml'],
      ['bytes', -1],
      ['width', 1e9],
      ['height', '20'],
      ['createdAt', -1],
      ['messageNonce', null],
      ['_id', '../../../../../escaped.p'],
    ] as const
  ).map(([field, value]): [string, () => Line[]] => [
    `a file of a message whose ${field} is ${JSON.stringify(value).slice(0, 40)}`,
    () => withField('attachments', field, value),
  ]),
  [
    'the bytes of a file outside the folder',
    () => withField('attachmentFiles', 'name', '../../../../../escaped.p'),
  ],
  ['the bytes of another file', () => withField('attachmentFiles', 'name', 'e'.repeat(24))],
  ['the bytes of a file twice', () => twice('attachmentFiles')],
  ['a file of a message twice', () => twice('attachments')],
  [
    'bytes without a file of a message',
    () => withRow('attachmentFiles', { name: 'e'.repeat(24), base64: image, last: true }),
  ],
  ['a file of a message without its bytes', () => clone().filter(([table]) => table !== 'attachmentFiles')],
  [
    'the last file of a message without its bytes',
    () => clone().slice(0, clone().findLastIndex(([table]) => table === 'attachments') + 1),
  ],
  [
    'two files of a message of one nonce',
    () => {
      const rows = clone()
      const files = rows.filter(([table]) => table === 'attachments')
      for (const [, row] of files)
        Object.assign(row, { nonce: 'the-same-nonce', senderId: 'the-same-sender' })
      return rows
    },
  ],
  ...(
    [
      ['a text', 'text'],
      ['six files', Array(6).fill({ _id: '6'.repeat(24), name: 'a.pdf', type: 'application/pdf', bytes: 1 })],
      ['no files', []],
      [
        'a file with a field too many',
        [{ _id: '6'.repeat(24), name: 'a.pdf', type: 'application/pdf', bytes: 1, x: 1 }],
      ],
      ['a file of another type', [{ _id: '6'.repeat(24), name: 'a.html', type: 'text/html', bytes: 1 }]],
    ] as [string, unknown][]
  ).map(([what, value]): [string, () => Line[]] => [
    `a message whose attachments are ${what}`,
    () => withField('messages', 'attachments', value),
  ]),
  ['a status that does not exist', () => withField('conversations', 'status', 'gone')],
  ['a negative version', () => withField('conversations', 'version', -1)],
  ['a text for labels', () => withField('conversations', 'labels', 'Refund')],
  ['21 labels', () => withField('conversations', 'labels', Array(21).fill('x'))],
  ['a label of a thousand letters', () => withField('conversations', 'labels', ['x'.repeat(1_000)])],
  ['an assignee that is an operator', () => withField('conversations', 'assigneeId', { $ne: null })],
  ['a visitor that is a list', () => withField('conversations', 'visitor', [])],
  ['a field that is missing', () => withField('blogs', 'slug', undefined)],
  ['a field too many', () => withField('users', 'isOwner', true)],
  [
    'a prototype for a field',
    () => clone().map((row) => JSON.stringify(row).replace('{"_id"', '{"__proto__":{"x":1},"_id"')),
  ],
  ['a prototype for a table', () => [...clone(), '["__proto__",{}]']],
  ['a constructor for a table', () => [...clone(), '["constructor",{}]']],
  ['null for a row', () => [...clone(), '["users",null]']],
  ['a list for a row', () => [...clone(), '["users",[]]']],
  ['lines of the wrong shape', () => [...clone(), '["uploads"]', '[]', '{}', 'null']],
  ['ten thousand nesting levels', () => [...clone(), `["users",${'['.repeat(10_000)}${']'.repeat(10_000)}]`]],
  ['a line of 40 MB', () => [...clone(), `["contacts","${'x'.repeat(40_000_000)}"]`]],
]

describe('the valid backup', () => {
  it('is restored', async () => {
    write(clone())
    const target = await openCopyTarget({ dataDir: join(dir.path, 'as-it-is') })
    const counts = await copyStore(await openBackup(file), target, { as: 'restored' })
    await target.close()
    expect(counts).toMatchObject({ users: 3, messages: 14 })
  })
})

describe('a backup is refused before anything is written when it holds', () => {
  it.each(HOSTILE)('%s', async (_name, rows) => {
    write(rows())
    const error = await openBackup(file).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toMatch(/^[ -~]{20,300}\.$/)
  })
})

describe('a file is refused that', () => {
  const refused = () => expect(openBackup(file)).rejects.toThrow(/isn't a backup|cut off or changed/)

  it('has data after its end', async () => {
    write(clone())
    const bytes = readFileSync(file)
    for (const more of [Buffer.from('x'), Buffer.alloc(100), randomBytes(100_000), gzipSync('more\n')]) {
      writeFileSync(file, Buffer.concat([bytes, more]))
      await refused()
    }
  })

  it('inflates to a gigabyte, without inflating it', async () => {
    // 1 MB that inflates to 1 GB: its first line alone is longer than allowed.
    const piece = gzipSync(Buffer.alloc(64 * 1_024 ** 2, 'x'))
    writeFileSync(file, Buffer.concat(Array.from({ length: 16 }, () => piece)))
    const before = process.memoryUsage().rss
    await refused()
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1_024 ** 2)
  })

  it.each([
    ['has no time', { at: undefined }],
    ['hides a terminal escape in its time', { at: '\u001b[2J' }],
    ['hides one in its version', { version: '\u001b[2J' }],
    ['has a list for an id', { id: ['a'] }],
    ['has a negative count', { counts: { users: -1 } }],
  ])('%s', async (_name, change) => {
    write(clone(), { ...header, ...change })
    const error = (await openBackup(file).catch((reason: unknown) => reason)) as Error
    expect(error.message).toMatch(/^[ -~]{20,300}\.$/)
  })
})

/** Copies from a store that holds a hostile row, as `npm run migrate` does. */
function describeTargets(to: () => StoreLocation): void {
  let target: StoreLocation
  beforeEach(() => {
    target = to()
  })

  it('is empty when its source is refused, also when it turns hostile after its check', async () => {
    const location = { dataDir: join(dir.path, 'source') }
    const opened = await openCopySource(location)
    const hostile = {
      ...opened,
      async *entries() {
        yield { table: 'uploads', row: { name: '../../escaped.png', bytes: Buffer.from('x') } } as Entry
        yield* opened.entries()
      },
    }
    await expect(checkSource(hostile)).rejects.toThrow(/uploads/)
    const filled = await openCopyTarget(target)
    await expect(copyStore(hostile, filled, { as: 'it is' })).rejects.toThrow(/uploads/)
    expect([await filled.holds(), await filled.filling()]).toEqual([[], null])
    await filled.close()
    await opened.close()
    expect(existsSync(join(dir.path, 'escaped.png'))).toBe(false)
    const stores = await openStores(target)
    expect(await stores.uploadFiles.list()).toEqual([])
    await stores.storage.close()
  })

  it('is empty again when the copy differs', async () => {
    const opened = await openCopySource({ dataDir: join(dir.path, 'source') })
    const filled = await openCopyTarget(target)
    const losing = { ...filled, put: async () => {} }
    await expect(copyStore(opened, losing, { as: 'restored' })).rejects.toThrow(/differs from its source/)
    expect([await filled.holds(), await filled.filling()]).toEqual([[], null])
    await filled.close()
    await opened.close()
  })
}

let places = 0
describe('a target in a folder', () => {
  describeTargets(() => {
    places += 1
    return { dataDir: join(dir.path, `target-${places}`) }
  })
})
describeOnMongo('a target on MongoDB', (url) => {
  describeTargets(() => ({ dataDir: join(dir.path, 'unused'), mongodbUrl: url() }))
})
