import { cleanFileName } from '@proctorpass/shared/fields/file-name'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { CopiedActivity, CopiedConversation, CopiedMessage } from '../model/conversation/rows.ts'
import { DOCUMENT_VALUES } from '../model/documents.ts'
import { plainTable } from '../model/plain-tables.ts'
import { nameKey } from '../model/users.ts'
import { ACTIVITY_DATA, type Entry, FIELDS, ROWS, TABLES, type Table } from './copied-tables.ts'

const checks = new Map(
  TABLES.map((table) => [table, Compile(Type.Object(ROWS[table], { additionalProperties: false }))]),
)

/** The fields whose text is JSON, by their tables. All of it is an object, except in documents. */
const JSON_FIELDS: ReadonlyMap<Table, string> = new Map([
  ['documents', 'value'],
  ['audit', 'details'],
  ['texts', 'fields'],
  ['versions', 'fields'],
  ['languages', 'file'],
])

const documentChecks = new Map(
  Object.entries(DOCUMENT_VALUES).map(([name, schema]) => [name, Compile(schema)]),
)

const dataChecks = new Map(Object.entries(ACTIVITY_DATA).map(([kind, schema]) => [kind, Compile(schema)]))

/** A row that no store could contain. The message is safe to show, because it contains none of the row's values. */
export class RefusedRow extends Error {
  constructor(table: string, index: number, problem: string) {
    super(`Row ${index} of ${table} is invalid: ${problem}. Nothing was copied.`)
    this.name = 'RefusedRow'
  }
}

/** Checks each row before yielding it. Throws RefusedRow. */
export async function* checked(entries: AsyncIterable<Entry>): AsyncIterable<Entry> {
  const order = new Order()
  const counts = new Map<string, number>()
  for await (const entry of entries) {
    const index = (counts.get(entry.table) ?? 0) + 1
    counts.set(entry.table, index)
    const problem = problemWith(entry) ?? order.problemWith(entry)
    if (problem !== null) throw new RefusedRow(entry.table, index, problem)
    yield entry
  }
  const { missing } = order
  if (missing !== null) throw new RefusedRow(missing, 1 + (counts.get(missing) ?? 0), 'it is missing')
}

function problemWith({ table, row }: Entry): string | null {
  const check = checks.get(table)
  if (check === undefined) return 'there is no such table'
  if (!check.Check(row)) {
    if (row === null || typeof row !== 'object') return "it isn't a row"
    const field = Object.keys(ROWS[table]).find(
      (name) =>
        !Object.hasOwn(row, name) ||
        !Compile(ROWS[table][name as never] as TSchema).Check(row[name as never]),
    )
    return field === undefined ? 'it has unknown fields' : `its ${field} is missing or malformed`
  }
  const json = JSON_FIELDS.get(table)
  if (json !== undefined && !isJson(row[json as never], table !== 'documents'))
    return `its ${json} is malformed`
  if (table === 'documents' && documentChecks.get(row.name)?.Check(JSON.parse(row.value)) === false)
    return 'its value is malformed'
  if (table === 'attachments' && cleanFileName(row.name, row.type) !== row.name)
    return 'its name is malformed'
  if (table === 'activity' && !dataChecks.get(row.kind)?.Check(row.data)) return 'its data is malformed'
  return hasBrokenText(row) ? 'a text in it has invalid characters' : null
}

/** Null stands for no JSON. */
function isJson(text: string | null, mustBeObject: boolean): boolean {
  if (text === null) return true
  try {
    const value: unknown = JSON.parse(text)
    return !mustBeObject || (typeof value === 'object' && value !== null && !Array.isArray(value))
  } catch {
    return false
  }
}

/**
 * Returns whether a text has invalid characters. Searches a row's lists and objects too, whose depth the schemas bound.
 */
function hasBrokenText(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed() || value.includes('\0')
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  return Object.values(value).some(hasBrokenText)
}

/**
 * Checks that each row comes once and in the order of its key. Before a conversation come its messages in the order of
 * seq, and then its log in the order of n.
 */
class Order {
  readonly #lastKeys = new Map<string, string>()
  readonly #names = new Set<string>()
  readonly #nonces = new Set<string>()
  #last: CopiedMessage | null = null
  #lastEntry: CopiedActivity | null = null
  /** The file whose bytes must come next. */
  #attachmentId: string | null = null

  /** The table whose row must still come: the last messages' conversation, or the last file's bytes. */
  get missing(): Table | null {
    if (this.#attachmentId !== null) return 'attachmentFiles'
    return this.#last === null ? null : 'conversations'
  }

  problemWith({ table, row }: Entry): string | null {
    if (table === 'attachmentFiles') return this.#problemWithBytes(row.name)
    if (this.#attachmentId !== null) return 'the bytes of the file before it are missing'
    if (table === 'messages') return this.#problemWithMessage(row)
    if (table === 'activity') return this.#problemWithEntry(row)
    if (table === 'conversations') return this.#problemWithConversation(row)
    // Uploads that were added during the copy come last and in no order.
    if (table === 'uploads') return this.#problemWithName(`upload ${row.name}`)
    if (table === 'attachments') {
      // Attachments are in the order of their messages, or in older backups in the order of their keys.
      this.#attachmentId = row._id
      const nonce = `${row.clientId} ${row.senderId} ${row.nonce}`
      return this.#problemWithName(`file ${row._id}`) ?? this.#problemWithName(`file ${nonce}`)
    }
    const key = String(row[FIELDS[table][0] as never])
    const problem = this.#problemWithKey(table, key)
    if (problem !== null) return problem
    if (table === 'users') return this.#problemWithName(`user ${nameKey(row.userName)}`)
    return this.#problemWithUnique(table, row)
  }

  #problemWithKey(table: string, key: string): string | null {
    const before = this.#lastKeys.get(table)
    this.#lastKeys.set(table, key)
    return before === undefined || before < key ? null : 'it is a duplicate or out of order'
  }

  /** Checks a plain table's unique indexes. */
  #problemWithUnique(table: string, row: object): string | null {
    for (const { by, unique } of Object.values(plainTable(table)?.indexes ?? {})) {
      const values = Object.keys(by).map((field) => row[field as never])
      const problem = unique ? this.#problemWithName(`${table} ${values.join(' ')}`) : null
      if (problem !== null) return problem
    }
    return null
  }

  #problemWithName(name: string): string | null {
    if (this.#names.has(name)) return 'another row has its name'
    this.#names.add(name)
    return null
  }

  #problemWithBytes(name: string): string | null {
    const isNext = name === this.#attachmentId
    this.#attachmentId = null
    return isNext ? null : 'the row before it is of another file'
  }

  #problemWithMessage(row: CopiedMessage): string | null {
    const last = this.#last
    this.#last = row
    if (last === null) {
      this.#nonces.clear()
    } else if (row.clientId !== last.clientId || row.epoch !== last.epoch) {
      return 'the message before it belongs to another conversation'
    } else if (row.seq <= last.seq || this.#lastEntry !== null) {
      return 'it is a duplicate or out of order'
    }
    if (this.#nonces.has(row.nonce)) return 'another message has its nonce'
    this.#nonces.add(row.nonce)
    return null
  }

  #problemWithEntry(row: CopiedActivity): string | null {
    const [message, last] = [this.#last, this.#lastEntry]
    this.#lastEntry = row
    if (message === null || row.clientId !== message.clientId || row.epoch !== message.epoch) {
      return 'the messages before it belong to another conversation'
    }
    if (last === null) {
      this.#nonces.clear()
    } else if (row.n <= last.n || row.afterSeq < last.afterSeq) {
      return 'it is a duplicate or out of order'
    }
    if (row.nonce === null) return null
    if (this.#nonces.has(row.nonce)) return 'another entry has its nonce'
    this.#nonces.add(row.nonce)
    return null
  }

  #problemWithConversation(row: CopiedConversation): string | null {
    const last = this.#last
    this.#last = null
    this.#lastEntry = null
    if (last !== null && (row.clientId !== last.clientId || row.epoch !== last.epoch)) {
      return 'the messages before it belong to another conversation'
    }
    if (row.adminReadCount > row.visitorCount) return 'it counts more messages as read than it has'
    if (row.seen.some(({ userId }, index) => userId <= (row.seen[index - 1]?.userId ?? ''))) {
      return 'its seen marks are duplicates or out of order'
    }
    return this.#problemWithKey('conversations', row.clientId)
  }
}
