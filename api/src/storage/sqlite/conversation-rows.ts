import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CopiedConversation } from '../store-copy.ts'

export interface ConversationRow extends Omit<CopiedConversation, 'visitor'> {
  adminUnread: number
  /** That of the newest entry of its log. */
  activityN: number
}

type Columns = Omit<ConversationRow, 'keyHashes' | 'labels' | 'rated'> & {
  keyHashes: string
  labels: string
  rated: number
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
  readonly #find: StatementSync
  readonly #inMemory = new Map<string, ConversationRow>()

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT * FROM conversations WHERE clientId = ?')
  }

  /** Reads the database. */
  read(clientId: string): ConversationRow | undefined {
    const found = this.#find.get(clientId)
    return found === undefined ? undefined : conversationRow(found)
  }

  /** The same from memory, where it is. Only for a job of the write queue: no one else can change the row meanwhile. */
  readForWrite(clientId: string): ConversationRow | undefined {
    return this.#inMemory.get(clientId) ?? this.read(clientId)
  }

  /** Keeps what a job has just written. */
  written(row: ConversationRow): void {
    // Cleared instead of ordered by use: reading the active rows again costs less than to order them all the time.
    if (this.#inMemory.size >= IN_MEMORY_MAX) this.#inMemory.clear()
    this.#inMemory.set(row.clientId, row)
  }

  /** Every job that changes the row otherwise calls this. */
  forget(clientId: string): void {
    this.#inMemory.delete(clientId)
  }

  forgetAll(): void {
    this.#inMemory.clear()
  }
}
