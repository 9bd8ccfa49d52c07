import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type CopySource, type Counts, type Entry, NOUNS, type Noun } from '../store-copy.ts'

/**
 * A backup is a gzip'd text of JSON lines: a header, `[noun, row]` for each row as `CopySource` gives them, and an end
 * with the counts and the SHA-256 of all lines before it. The bytes of an upload are base64, in several lines. Another
 * set of rows or fields is another version.
 */
const FORMAT = 'chat-store-backup'
const VERSION = 1

interface Header {
  format: typeof FORMAT
  version: number
  /** Random: tells this backup from others. */
  id: string
  /** When it was begun. */
  at: string
  /** Of that moment. */
  counts: Counts
}

interface UploadPart {
  name: string
  base64: string
  last: boolean
}

const PART_BYTES = 192 * 1_024
/** Lines are handed on in pieces of about this many characters. */
const PIECE = 64 * 1_024
/** No line of ours is longer. */
const LINE_BYTES_MAX = 32 * 1_024 ** 2

/**
 * Writes everything but the sessions, which a restored store does not take over. Nobody but the owner may read the
 * file: it holds every conversation. It stands under its name only once it is whole and on disk.
 * @throws when there is a file of that name
 */
export async function writeBackup(
  source: CopySource,
  path: string,
  { onProgress, signal }: { onProgress?: (noun: Noun, done: number) => void; signal?: AbortSignal } = {},
): Promise<Counts> {
  if (existsSync(path)) throw new Error(`${path} is there already: name another file.`)
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    id: randomUUID(),
    at: new Date().toISOString(),
    counts: { ...(await source.counts()), sessions: 0 },
  }
  const counts = noCounts()
  const unfinished = `${path}.${process.pid}.part`

  async function* pieces(): AsyncIterable<string> {
    const hash = createHash('sha256')
    let piece = `${JSON.stringify(header)}\n`
    let shown: Noun | null = null
    const tell = () => {
      if (shown !== null) onProgress?.(shown, counts[shown])
    }
    for await (const entry of source.entries()) {
      if (entry.noun === 'sessions') continue
      // Conversations come along with their messages.
      const noun = entry.noun === 'conversations' ? 'messages' : entry.noun
      if (noun !== shown) tell()
      shown = noun
      counts[entry.noun] += 1
      for (const line of linesOf(entry)) {
        piece += line
        if (piece.length < PIECE) continue
        hash.update(piece)
        yield piece
        piece = ''
        tell()
      }
    }
    tell()
    hash.update(piece)
    yield piece
    yield `${JSON.stringify(['end', { counts, sha256: hash.digest('hex') }])}\n`
  }

  try {
    await pipeline(
      Readable.from(pieces(), { objectMode: true, highWaterMark: 1 }),
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
    throw new Error(`${path} cannot be written: ${reasons[code ?? ''] ?? code}.`, { cause: error })
  }
  return counts
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}

function* linesOf(entry: Entry): Iterable<string> {
  if (entry.noun !== 'uploads') {
    yield `${JSON.stringify([entry.noun, entry.row])}\n`
    return
  }
  const bytes = Buffer.from(entry.row.bytes)
  for (let from = 0; from === 0 || from < bytes.length; from += PART_BYTES) {
    const part: UploadPart = {
      name: entry.row.name,
      base64: bytes.subarray(from, from + PART_BYTES).toString('base64'),
      last: from + PART_BYTES >= bytes.length,
    }
    yield `${JSON.stringify(['uploads', part])}\n`
  }
}

/** Opens a backup after reading it to its end. Throws when it is none, of a newer release, or not as it was written. */
export async function openBackup(path: string): Promise<CopySource & { at: string }> {
  const header = await headerOf(path)
  for await (const _ of entriesOf(path)) {
    // Only to come to the end, where it is known whether all of it is there.
  }
  return {
    at: header.at,
    id: async () => `backup ${header.id}`,
    counts: async () => header.counts,
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`There is no file ${path}.`)
    if (['EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new Error(`${path} cannot be read.`)
    }
  }
  const header = first as Header | undefined
  if (header?.format !== FORMAT) throw new Error(`${path} is no backup.`)
  if (header.version !== VERSION) {
    throw new Error(
      `${path} was made by another release (format ${header.version}, this one knows ${VERSION}).`,
    )
  }
  return header
}

async function* entriesOf(path: string): AsyncIterable<Entry> {
  const hash = createHash('sha256')
  const counts = noCounts()
  let isHeader = true
  let isWhole = false
  let parts: Buffer[] = []
  try {
    for await (const line of linesIn(path)) {
      // Nothing follows the end. Whether it is cut off behind it is known only when all of it is read.
      if (isWhole) throw new Error('A line after the end.')
      if (isHeader) {
        isHeader = false
        hash.update(line).update('\n')
        continue
      }
      const [noun, row] = JSON.parse(line.toString()) as
        | ['end', unknown]
        | ['uploads', UploadPart]
        | [Noun, unknown]
      if (noun === 'end') {
        isWhole = JSON.stringify(row) === JSON.stringify({ counts, sha256: hash.digest('hex') })
        if (!isWhole) break
        continue
      }
      hash.update(line).update('\n')
      if (noun === 'uploads') {
        const { name, base64, last } = row as UploadPart
        parts.push(Buffer.from(base64, 'base64'))
        if (!last) continue
        counts.uploads += 1
        yield { noun, row: { name, bytes: Buffer.concat(parts) } }
        parts = []
      } else {
        counts[noun] += 1
        yield { noun, row } as Entry
      }
    }
  } catch (error) {
    throw new Error(damaged(path), { cause: error })
  }
  if (!isWhole) throw new Error(damaged(path))
}

const damaged = (path: string) =>
  `${path} is not as it was written: it was cut off or changed. Nothing of it is used.`

/** Not by `readline`, which takes U+2028 for the end of a line too. */
async function* linesIn(path: string): AsyncIterable<Buffer> {
  const unzipped = createGunzip()
  // Whoever reads `unzipped` gets the error of either.
  pipeline(createReadStream(path), unzipped).catch(() => {})
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, at)
      yield rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      rest = []
      length = 0
      from = at + 1
    }
    rest.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LINE_BYTES_MAX) throw new Error('A line of a backup is shorter.')
  }
}

function noCounts(): Counts {
  return Object.fromEntries(NOUNS.map((noun) => [noun, 0])) as Counts
}
