import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { VERSION as RELEASE } from '../../installation.ts'
import { checked } from '../copy/checked-rows.ts'
import {
  type Entry,
  FILE_TABLES,
  isFileEntry,
  isFileTable,
  progressTable,
  SESSION_TABLES,
  TABLES,
  type Table,
} from '../copy/copied-tables.ts'
import type { CopySource, Counts } from '../copy/store-copy.ts'
import { BLOGS } from '../model/blogs.ts'
import { CONTACTS } from '../model/contacts.ts'
import { NEW_INBOX } from '../model/conversation/conversation.ts'
import { LINKS } from '../model/links.ts'
import { withMissing } from '../model/plain-table.ts'
import { SITES } from '../model/sites.ts'
import { NEW_USER } from '../model/users.ts'
import { FileParts, partLines } from './backup-parts.ts'

/**
 * A backup is a gzipped text of JSON lines: a header, `[table, row]` for each row in the order of `CopySource`, and an
 * end with the counts and the SHA-256 hash of all earlier lines. A file's bytes are in base64 and take several lines. A
 * change to tables or fields needs a new version.
 */
const FORMAT = 'chat-store-backup'
const VERSION = 9
/**
 * Defaults for the fields that older versions lack. Each version also lacks what later versions lack.
 * - Version 8 lacks corrections of messages, spam, entries about messages that need no answer, the times when posts are
 *   published, their authors, languages, and reading times, links to previews, websites' display names, greetings, and
 *   labels in more languages, admins' time zones and weekly mails, saved searches, scheduled messages, edited texts,
 *   earlier versions of texts and posts, and uploaded languages.
 * - Version 7 lacks the names of files that were left out of a mail. Rows may lack them in version 8 too.
 * - Version 6 lacks what came by mail, sites, API keys, the audit log, second factors, the sites of conversations and of
 *   signed visitors, the visitors' pages, the counts of suggestions, and the cards that visitors were shown.
 * - Version 5 lacks the times when contact messages were done, what is remembered about addresses, and what admins have
 *   seen.
 * - Version 4 lacks documents and the files of messages.
 * - Version 3 lacks the fields of the team, the inbox, and visitors, and it lacks canned replies and logs.
 * - Version 2 lacks the descriptions of images.
 * - Version 1 lacks all of the added fields.
 */
const NEW_STANDING = {
  ...{ settledSeq: 0, blockedUntil: null, edits: 0, rated: false, spam: null, scheduled: null },
  ...{ siteId: null, siteName: null },
}
const ADDED: { [N in Table]?: object | undefined } = {
  users: NEW_USER,
  conversations: { keyHashes: [], ...NEW_INBOX, ...NEW_STANDING, visitor: null, seen: [] },
  contacts: CONTACTS.missing,
  messages: { attachments: null, via: null, quoted: null, edited: null },
  links: LINKS.missing,
  sites: SITES.missing,
}

/** Defaults for the fields of a conversation's visitor that versions 5 and 7 added. */
const ADDED_TO_VISITOR = {
  ...{ unsubscribed: false, failing: false, mailedAt: [], mailedSeq: 0, signed: null, pages: [], card: null },
}

function withAdded(table: Table, row: { visitor?: unknown }): object {
  if (table === 'blogs') return withMissing(BLOGS, row)
  const { visitor } = row
  if (table !== 'conversations' || typeof visitor !== 'object' || visitor === null) return row
  const missing = Object.entries(ADDED_TO_VISITOR).filter(([field]) => !Object.hasOwn(visitor, field))
  return { ...row, visitor: { ...visitor, ...Object.fromEntries(missing) } }
}

/** The approximate number of characters that are compressed at once. */
const CHUNK = 64 * 1_024

/** A post has the longest line, because its half megabyte of content is escaped twice. */
const LINE_BYTES_MAX = 8 * 1_024 ** 2

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Release = Type.String({ pattern: '^[0-9a-z.+-]{5,40}$' })
const releaseCheck = Compile(Release)
/** The part of the header that every release's backups have. */
const versionCheck = Compile(
  Type.Object({ format: Type.Literal(FORMAT), version: Version, release: Type.Optional(Type.Unknown()) }),
)
/** `id` is random. `at` and `counts` are from the start of the backup. `release` is the server's version, since 1.0.0. */
const HeaderSchema = Type.Object(
  {
    format: Type.Literal(FORMAT),
    version: Version,
    id: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
    at: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$' }),
    release: Type.Optional(Release),
    counts: Type.Record(Type.String({ maxLength: 32 }), Count),
  },
  { additionalProperties: false },
)
type Header = Omit<Static<typeof HeaderSchema>, 'counts'> & { counts: Counts }
const headerCheck = Compile(HeaderSchema)

/**
 * Writes everything except sessions and their subscriptions, which are not restored. Only the owner may read the file,
 * because it holds every conversation. The file gets its name only when it is complete and on disk.
 * @throws when the file exists
 */
export async function writeBackup(
  source: CopySource,
  path: string,
  { onProgress, signal }: { onProgress?: (table: Table, done: number) => void; signal?: AbortSignal } = {},
): Promise<Counts> {
  if (existsSync(path)) throw new Error(`${path} already exists. Choose another file.`)
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    id: randomUUID(),
    at: new Date().toISOString(),
    release: RELEASE,
    counts: {
      ...(await source.counts()),
      ...Object.fromEntries(SESSION_TABLES.map((table) => [table, 0])),
    },
  }
  const counts = noCounts()
  const unfinished = `${path}.${process.pid}.part`

  async function* chunks(): AsyncIterable<string> {
    const hash = createHash('sha256')
    let chunk = `${JSON.stringify(header)}\n`
    let current: Table | null = null
    const notify = () => {
      if (current !== null) onProgress?.(current, counts[current])
    }
    for await (const entry of source.entries()) {
      if (SESSION_TABLES.includes(entry.table)) continue
      const table = progressTable(entry.table)
      if (table !== current) notify()
      current = table
      counts[entry.table] += 1
      for (const line of linesOf(entry)) {
        chunk += line
        if (chunk.length < CHUNK) continue
        hash.update(chunk)
        yield chunk
        chunk = ''
        notify()
      }
    }
    notify()
    hash.update(chunk)
    yield chunk
    yield `${JSON.stringify(['end', { counts, sha256: hash.digest('hex') }])}\n`
  }

  try {
    await pipeline(
      Readable.from(chunks(), { objectMode: true, highWaterMark: 1 }),
      createGzip(),
      createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }),
      { signal },
    )
    await rename(unfinished, path)
    const folder = await open(dirname(path), 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(unfinished, { force: true })
    const { code, path: at } = error as NodeJS.ErrnoException
    if (at !== unfinished && code !== 'ENOSPC') throw error
    throw new Error(`Can't write ${path}: ${reasons[code ?? ''] ?? code}.`, { cause: error })
  }
  return counts
}

const reasons: Record<string, string> = {
  ENOENT: "the folder doesn't exist",
  ENOTDIR: "the folder doesn't exist",
  EACCES: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}

function* linesOf(entry: Entry): Iterable<string> {
  if (isFileEntry(entry)) yield* partLines(entry)
  else yield `${JSON.stringify([entry.table, entry.row])}\n`
}

/**
 * Opens a backup after reading it to its end and checking each row.
 * @throws when the file is not a backup, is from a newer release, or was changed, or when a row is refused
 */
export async function openBackup(
  path: string,
): Promise<CopySource & { at: string; release?: string | undefined }> {
  const header = await headerOf(path)
  for await (const _ of checked(entriesOf(path))) {
    // The whole file is read, because only its end shows whether it is complete.
  }
  return {
    at: header.at,
    release: header.release,
    id: async () => `backup ${header.id}`,
    counts: async () => ({ ...noCounts(), ...header.counts }),
    entries: () => entriesOf(path),
    async close() {},
  }
}

async function headerOf(path: string): Promise<Header> {
  let first: unknown
  try {
    for await (const line of linesIn(path)) {
      first = JSON.parse(line.toString())
      break
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`${path} doesn't exist.`)
    if (['EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new Error(`Can't read ${path}.`)
    }
  }
  // The version is checked first, because a newer release's header may have other fields.
  if (versionCheck.Check(first) && first.version > VERSION) {
    const { version, release } = first
    throw new Error(
      `${path} was made by ${releaseCheck.Check(release) ? release : 'a newer release'} (format ${version}; ${RELEASE} reads ${VERSION}). Use that release.`,
    )
  }
  if (!headerCheck.Check(first)) throw new Error(`${path} isn't a backup.`)
  return first as Header
}

async function* entriesOf(path: string): AsyncIterable<Entry> {
  const hash = createHash('sha256')
  const counts = noCounts()
  let isHeader = true
  let isWhole = false
  const parts = { uploads: new FileParts('uploads'), attachmentFiles: new FileParts('attachmentFiles') }
  try {
    for await (const line of linesIn(path)) {
      // Reading continues after the end, because a truncated gzip stream fails only there.
      if (isWhole) throw new Error('A line after the end.')
      if (isHeader) {
        isHeader = false
        hash.update(line).update('\n')
        continue
      }
      const [table, row, ...rest] = JSON.parse(line.toString()) as unknown[]
      if (rest.length > 0) throw new Error('A line is not a table and a row.')
      if (table === 'end') {
        isWhole = isEnd(row, { counts, sha256: hash.digest('hex') })
        if (!isWhole) break
        continue
      }
      hash.update(line).update('\n')
      if (!isTable(table)) throw new Error('There is no such table.')
      const isIncomplete = FILE_TABLES.some((other) => other !== table && parts[other].isOpen)
      if (isIncomplete) throw new Error('A file is incomplete.')
      if (isFileTable(table)) {
        const file = parts[table].add(row)
        if (file === null) continue
        counts[table] += 1
        yield { table, row: file }
      } else {
        counts[table] += 1
        yield { table, row: withAdded(table, { ...ADDED[table], ...(row as object) }) } as Entry
      }
    }
  } catch (error) {
    throw new Error(damaged(path), { cause: error })
  }
  if (!isWhole || FILE_TABLES.some((table) => parts[table].isOpen)) throw new Error(damaged(path))
}

function isTable(table: unknown): table is Table {
  return (TABLES as unknown[]).includes(table)
}

const damaged = (path: string) => `${path} is damaged: it was cut off or changed. Nothing was restored.`

/** Yields the lines. `readline` is not used, because it would also split lines at U+2028. */
async function* linesIn(path: string): AsyncIterable<Buffer> {
  const unzipped = createGunzip()
  // The loop below throws the error of either stream.
  pipeline(createReadStream(path), unzipped).catch(() => {})
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, at)
      yield rest.length === 0 ? end : Buffer.concat([...rest, end])
      rest = []
      length = 0
      from = at + 1
    }
    rest.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LINE_BYTES_MAX) throw new Error('A line is too long.')
  }
  // Node's gunzip ignores bytes after the last gzip member.
  if (unzipped.bytesWritten !== (await stat(path)).size) throw new Error('Data follows the end.')
}

/** Returns whether the last line has the expected counts and hash. Older versions do not count newer tables. */
function isEnd(row: unknown, expected: { counts: Counts; sha256: string }): boolean {
  const found = row as typeof expected
  const counts = { ...noCounts(), ...found.counts }
  return JSON.stringify({ ...found, counts }) === JSON.stringify(expected)
}

function noCounts(): Counts {
  return Object.fromEntries(TABLES.map((table) => [table, 0])) as Counts
}
