import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { EMPTY_HISTORY } from '../model/conversation/conversation.ts'
import type { CopiedConversation } from '../model/conversation/rows.ts'
import { newEpoch } from '../model/ids.ts'
import { columnOf } from './columns.ts'

export interface ConversationRow extends Omit<CopiedConversation, 'visitor' | 'seen'> {
  adminUnread: number
  /** That of the newest entry of its log. */
  activityN: number
}

type Columns = Omit<ConversationRow, 'keyHashes' | 'labels' | 'rated'> & {
  keyHashes: string
  labels: string
  rated: number
}

/** The fields of a row that are written; `adminUnread` follows from two of them. */
export type ConversationFields = Partial<Omit<ConversationRow, 'clientId' | 'adminUnread'>>

/** What erasing a history resets; the keys and a block stay. */
export const ERASED = { ...EMPTY_HISTORY, rated: false, siteId: null, siteName: null }

/** A conversation that is not stored yet. */
export function newConversation(clientId: string): ConversationRow {
  const row = { clientId, epoch: newEpoch(), keyHashes: [], blockedUntil: null, adminUnread: 0 }
  return { ...row, ...ERASED }
}

/** About a megabyte. */
const IN_MEMORY_MAX = 2_048

const NONE: readonly string[] = []
const listOf = (json: string) => (json === '[]' ? NONE : (JSON.parse(json) as string[]))

/** A row of `SELECT *`. */
export function conversationRow(columns: unknown): ConversationRow {
  const row = columns as Columns
  // In the order of the columns, which is that of the fields of a copy.
  return { ...row, keyHashes: listOf(row.keyHashes), labels: listOf(row.labels), rated: row.rated === 1 }
}

/**
 * The rows of the table `conversations`. Those of the newest messages stay in memory: reading the row takes a fifth of
 * the time of storing a message.
 * @see docs/decisions/0004-group-commit.md
 */
export class ConversationRows {
  readonly #db: DatabaseSync
  readonly #find: StatementSync
  readonly #insert: StatementSync
  /** By their columns. */
  readonly #updates = new Map<string, StatementSync>()
  readonly #inMemory = new Map<string, ConversationRow>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#find = db.prepare('SELECT * FROM conversations WHERE clientId = ?')
    this.#insert = db.prepare(
      `INSERT INTO conversations
         (clientId, epoch, seq, lastAt, visitorCount, waitingSince, keyHashes, siteId, siteName)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  /** Reads the database. */
  read(clientId: string): ConversationRow | undefined {
    const found = this.#find.get(clientId)
    return found === undefined ? undefined : conversationRow(found)
  }

  /** The same, from memory if it is there. Only for a job of the write queue: nothing else can change the row meanwhile. */
  readForWrite(clientId: string): ConversationRow | undefined {
    return this.#inMemory.get(clientId) ?? this.read(clientId)
  }

  /** Writes a conversation, without messages or with its first one. */
  insert(row: ConversationRow): ConversationRow {
    const { clientId, epoch, seq, lastAt, visitorCount, waitingSince, keyHashes, siteId, siteName } = row
    const totals = [seq, lastAt, visitorCount, waitingSince]
    this.#insert.run(clientId, epoch, ...totals, JSON.stringify(keyHashes), siteId, siteName)
    return this.#stored(row)
  }

  /** Writes only the columns that change: SQLite rewrites the entries of an index whenever one of its columns is set. */
  update(before: ConversationRow, set: ConversationFields): ConversationRow {
    const values: SQLInputValue[] = []
    let columns = ''
    for (const name in set) {
      const field = name as keyof ConversationFields
      const value = set[field]
      if (value === undefined || value === before[field]) continue
      columns += columns === '' ? `${name} = ?` : `, ${name} = ?`
      values.push(columnOf(value))
    }
    if (columns !== '') this.#updateOf(columns).run(...values, before.clientId)
    return this.#stored({ ...before, ...set })
  }

  #updateOf(columns: string): StatementSync {
    const known = this.#updates.get(columns)
    if (known !== undefined) return known
    const update = this.#db.prepare(`UPDATE conversations SET ${columns} WHERE clientId = ?`)
    this.#updates.set(columns, update)
    return update
  }

  #stored(row: ConversationRow): ConversationRow {
    row.adminUnread = row.visitorCount - row.adminReadCount
    this.written(row)
    return row
  }

  /** Keeps what a job has just written. */
  written(row: ConversationRow): void {
    // Cleared instead of ordered by use: reading the active rows again costs less than to order them all the time.
    if (this.#inMemory.size >= IN_MEMORY_MAX) this.#inMemory.clear()
    this.#inMemory.set(row.clientId, row)
  }

  forgetAll(): void {
    this.#inMemory.clear()
  }
}
