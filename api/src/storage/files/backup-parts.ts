import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Entry, FileTable } from '../copy/copied-tables.ts'
import { ATTACHMENT_NAME, UPLOAD_NAME } from '../model/file-store.ts'

const PART_BYTES = 192 * 1_024
/** The most bytes in one stored file. Re-encoding can make an image larger than the file that was sent. */
const FILE_BYTES_MAX = 64 * 1_024 ** 2
/** The most bytes in a table's files. No store holds more uploads. Attachments are bounded by conversation instead. */
const FILES_BYTES_MAX: Record<FileTable, number> = {
  uploads: 5 * 1_024 ** 3,
  attachmentFiles: Number.POSITIVE_INFINITY,
}

const partSchema = (form: RegExp) =>
  Type.Object(
    {
      name: Type.String({ pattern: form.source }),
      base64: Type.String({ maxLength: (PART_BYTES * 4) / 3 }),
      last: Type.Boolean(),
    },
    { additionalProperties: false },
  )
type FilePart = Static<ReturnType<typeof partSchema>>
const partChecks = {
  uploads: Compile(partSchema(UPLOAD_NAME)),
  attachmentFiles: Compile(partSchema(ATTACHMENT_NAME)),
}

/** Yields a file's lines, each with a part of its bytes in base64. */
export function* partLines(entry: Extract<Entry, { table: FileTable }>): Iterable<string> {
  const bytes = Buffer.from(entry.row.bytes)
  for (let from = 0; from === 0 || from < bytes.length; from += PART_BYTES) {
    const part: FilePart = {
      name: entry.row.name,
      base64: bytes.subarray(from, from + PART_BYTES).toString('base64'),
      last: from + PART_BYTES >= bytes.length,
    }
    yield `${JSON.stringify([entry.table, part])}\n`
  }
}

/** Joins the parts of files and bounds their memory. Throws on a part that `partLines` would not have written. */
export class FileParts {
  readonly #table: FileTable
  #name = ''
  #parts: Buffer[] = []
  #bytes = 0
  #bytesOfAll = 0

  constructor(table: FileTable) {
    this.#table = table
  }

  /** Whether the last part of a file is still missing. */
  get isOpen(): boolean {
    return this.#parts.length > 0
  }

  /** Adds a part. Returns the file after its last part, otherwise null. */
  add(part: unknown): { name: string; bytes: Uint8Array } | null {
    if (!partChecks[this.#table].Check(part)) throw new Error('A line is not a part of a file.')
    const { name, base64, last } = part as FilePart
    const bytes = Buffer.from(base64, 'base64')
    const isOdd = bytes.toString('base64') !== base64 || (!last && bytes.length !== PART_BYTES)
    if (isOdd || (this.isOpen && name !== this.#name)) throw new Error('A part belongs to another file.')
    this.#name = name
    this.#parts.push(bytes)
    this.#bytes += bytes.length
    this.#bytesOfAll += bytes.length
    if (this.#bytes > FILE_BYTES_MAX || this.#bytesOfAll > FILES_BYTES_MAX[this.#table]) {
      throw new Error('The files are larger than any store allows.')
    }
    if (!last) return null
    const file = { name, bytes: Buffer.concat(this.#parts) }
    this.#parts = []
    this.#bytes = 0
    return file
  }
}
