import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { EMPTY_HISTORY } from '../model/conversation/conversation.ts'
import type { CopiedConversation } from '../model/conversation/rows.ts'
import { newEpoch } from '../model/ids.ts'
import { columnOf } from './columns.ts'

export interface ConversationRow extends Omit<CopiedConversation, 'visitor' | 'seen'> {
  adminUnread: number
  /** The number of the newest entry in the conversation's log. */
  activityN: number
}

type Columns = Omit<ConversationRow, 'keyHashes' | 'labels' | 'rated' | 'spam' | 'scheduled'> & {
  keyHashes: string
  labels: string
  rated: number
  spam: string | null
  scheduled: string | null
}

/** The fields that a write can set. SQLite computes `adminUnread` from two of them. */
export type ConversationFields = Partial<Omit<ConversationRow, 'clientId' | 'adminUnread'>>

/** The values to which erasing a history resets a row. The keys and a block stay. */
export const ERASED = { ...EMPTY_HISTORY, rated: false, siteId: null, siteName: null }

/** Returns the row of a conversation that is not stored yet. */
export function newConversation(clientId: string): ConversationRow {
  const row = { clientId, epoch: newEpoch(), keyHashes: [], blockedUntil: null, adminUnread: 0 }
  return { ...row, ...ERASED }
}

/** The most rows held in memory, about a megabyte. */
const IN_MEMORY_MAX = 2_048

const NONE: readonly string[] = []
const listOf = (json: string) => (json === '[]' ? NONE : (JSON.parse(json) as string[]))

/** Converts a stored row's columns to its fields. */
export function conversationRow(columns: unknown): ConversationRow {
  const row = columns as Columns
  // The fields keep the columns' order, which is the order of the fields in a copy.
  return {
    ...row,
    keyHashes: listOf(row.keyHashes),
    labels: listOf(row.labels),
    rated: row.rated === 1,
    spam: row.spam === null ? null : (JSON.parse(row.spam) as ConversationRow['spam']),
    scheduled: row.scheduled === null ? null : (JSON.parse(row.scheduled) as ConversationRow['scheduled']),
  }
}

/**
 * Reads and writes the rows of the table `conversations`. Rows that were written recently stay in memory, because
 * reading a row would take a fifth of the time that storing a message takes.
 * @see docs/decisions/0004-group-commit.md
 */
export class ConversationRows {
  readonly #db: DatabaseSync
  readonly #find: StatementSync
  readonly #insert: StatementSync
  /** Prepared updates by the columns that they set. */
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

  /** Reads the row from the database. */
  read(clientId: string): ConversationRow | undefined {
    const found = this.#find.get(clientId)
    return found === undefined ? undefined : conversationRow(found)
  }

  /**
   * Reads the row from memory or, if it is not there, from the database. Only a job of the write queue may call this,
   * because nothing else can change the row while the job runs.
   */
  readForWrite(clientId: string): ConversationRow | undefined {
    return this.#inMemory.get(clientId) ?? this.read(clientId)
  }

  /** Writes a new conversation, which has no message or only its first one. */
  insert(row: ConversationRow): ConversationRow {
    const { clientId, epoch, seq, lastAt, visitorCount, waitingSince, keyHashes, siteId, siteName } = row
    const totals = [seq, lastAt, visitorCount, waitingSince]
    this.#insert.run(clientId, epoch, ...totals, JSON.stringify(keyHashes), siteId, siteName)
    return this.#stored(row)
  }

  /** Writes only the columns that change, because SQLite rewrites an index's entry whenever one of its columns is set. */
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

  /** Keeps a row in memory that a job has just written. */
  written(row: ConversationRow): void {
    // All rows are dropped at once, because reading the active ones again costs less than ordering rows by their use.
    if (this.#inMemory.size >= IN_MEMORY_MAX) this.#inMemory.clear()
    this.#inMemory.set(row.clientId, row)
  }

  forgetAll(): void {
    this.#inMemory.clear()
  }
}
