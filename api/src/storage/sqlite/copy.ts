import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CHAT_TABLES,
  type CopiedRows,
  type Entry,
  FIELDS,
  type FileTable,
  ROWS,
  SIMPLE_TABLES,
  type SimpleTable,
  type Table,
} from '../copy/copied-tables.ts'
import { heldFiles, removeFiles, withUploads } from '../copy/file-copy.ts'
import {
  type CopySource,
  type CopyTarget,
  type Counts,
  type FileStores,
  type Filling,
  firstEntries,
  halfFilled,
  type ReadFileStores,
  storeId,
  UNKNOWN_SOURCE,
} from '../copy/store-copy.ts'
import { copiedEntry } from '../model/audit.ts'
import { copiedFields, ofPlainTables } from '../model/plain-tables.ts'
import { PENDING_REVIEWS, REVIEWS } from '../model/reviews.ts'
import { nameKey } from '../model/users.ts'
import { openAuditChain } from './audit-chain.ts'
import { columnsOf, insertionOf, rowOf } from './columns.ts'
import { UploadReferences } from './content.ts'
import { ACTIVITY_COLUMNS, CHAT_ROWS, copiedChats, without } from './copied-chats.ts'
import { expectDatabase } from './database-health.ts'
import { deriveInboxRows } from './inbox-rows.ts'
import { openDatabase } from './open-database.ts'
import { CLEAR_REPORTS } from './reports.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { CLEAR_SEARCH } from './search-index.ts'
import { VISITOR_COLUMNS, visitorColumns } from './visitors.ts'

/**
 * Reads an embedded database over a read-only connection in one snapshot, which excludes a server's later writes and does
 * not block the server.
 * @throws when the database is missing, is half filled, or has another schema version
 */
export function readSqlite(file: string, files: ReadFileStores): CopySource {
  expectDatabase(file)
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  try {
    const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (found !== SCHEMA_VERSION) {
      throw new Error(
        `The database at ${file} has schema version ${found}; this release uses ${SCHEMA_VERSION}. ` +
          (found > SCHEMA_VERSION ? 'Use a newer release.' : 'Start the server once to upgrade it.'),
      )
    }
    if (fillingOf(db)?.state === 'filling') throw halfFilled()
  } catch (error) {
    db.close()
    throw error
  }
  return source(db, files)
}

/**
 * Creates an empty database that is marked as half filled. The file gets its final name only after the mark is stored,
 * so that no server starts on it if this process is killed.
 */
export function createMarked(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unnamed = `${file}.new`
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${unnamed}${suffix}`, { force: true })
  closeSync(openSync(unnamed, 'wx', 0o600))
  const db = openDatabase(unnamed)
  db.prepare('INSERT INTO filling (state, source, salt) VALUES (?, ?, ?)').run('filling', UNKNOWN_SOURCE, '')
  // Closing moves the log into the database file and syncs it.
  db.close()
  renameSync(unnamed, file)
}

/** Opens an embedded database in order to fill it, and creates a missing one. Each method call is one commit. */
export function fillSqlite(file: string, files: FileStores): CopyTarget {
  const db = openDatabase(file)
  const transaction = (run: () => void): void => {
    db.exec('BEGIN IMMEDIATE')
    try {
      run()
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
  const insertion = (into: string, columns: readonly string[], verb = 'INSERT') =>
    db.prepare(insertionOf(into, columns, verb))
  const sql = {
    reviews: insertion(REVIEWS.name, Object.keys(REVIEWS.fields)),
    pendingReviews: insertion(PENDING_REVIEWS.name, Object.keys(PENDING_REVIEWS.fields)),
    attachments: insertion('attachments', FIELDS.attachments),
    milestones: insertion('milestones', FIELDS.milestones),
    messages: insertion('messages', without(FIELDS.messages, 'waitingSince', 'edited'), 'INSERT OR IGNORE'),
    edits: insertion('edits', ['clientId', 'seq', 'edit', 'words', 'editedAt'], 'INSERT OR REPLACE'),
    forgetEdits: db.prepare('DELETE FROM edits WHERE clientId = ?'),
    conversations: insertion(
      'conversations',
      [...without(FIELDS.conversations, 'visitor', 'seen'), 'activityN'],
      'INSERT OR REPLACE',
    ),
    activity: insertion('activity', ACTIVITY_COLUMNS),
    forgetActivity: db.prepare('DELETE FROM activity WHERE clientId = ? AND n >= ?'),
    visitors: insertion('visitors', VISITOR_COLUMNS, 'INSERT OR REPLACE'),
    seenMarks: insertion('seen_marks', ['clientId', 'userId', 'seq', 'n']),
    forgetSeen: db.prepare('DELETE FROM seen_marks WHERE clientId = ?'),
    soFar: db.prepare('SELECT epoch, seq FROM conversations WHERE clientId = ?'),
    forgetMessages: db.prepare('DELETE FROM messages WHERE clientId = ?'),
    forgetConversation: db.prepare('DELETE FROM conversations WHERE clientId = ?'),
    forgetVisitor: db.prepare('DELETE FROM visitors WHERE clientId = ?'),
  }
  const references = new UploadReferences(db)
  const plain = ofPlainTables(({ name, fields }) => {
    const statement = insertion(name, Object.keys(fields))
    return (row: object) => void statement.run(columnsOf(row))
  })
  const insert: { [T in SimpleTable]: (row: CopiedRows[T]) => void } = {
    ...plain,
    users: (row) => plain.users({ ...row, nameKey: nameKey(row.userName) }),
    blogs(row) {
      plain.blogs(row)
      references.set(row)
    },
    reviews({ pending, demo, ...row }) {
      if (pending) sql.pendingReviews.run(row)
      else sql.reviews.run(columnsOf({ ...row, demo }))
    },
    attachments: (row) => void sql.attachments.run(columnsOf(row)),
    milestones: (row) => void sql.milestones.run(row),
  }

  return {
    ...source(db, files),
    files,
    async holds() {
      const tables = [...SIMPLE_TABLES, ...CHAT_TABLES]
      const found: Table[] = tables.filter(
        (table) => db.prepare(`SELECT 1 FROM (${SELECTIONS[table]}) LIMIT 1`).get() !== undefined,
      )
      return [...found, ...(await heldFiles(files))]
    },
    async filling() {
      const found = fillingOf(db)
      return found?.source === UNKNOWN_SOURCE ? null : found
    },
    async setFilling({ state, source: id, salt }) {
      transaction(() => {
        db.exec('DELETE FROM filling')
        db.prepare('INSERT INTO filling (state, source, salt) VALUES (?, ?, ?)').run(state, id, salt)
      })
    },
    async clear(table) {
      transaction(() => {
        db.exec(`DELETE FROM ${table}`)
        if (table === 'reviews') db.exec('DELETE FROM pending_reviews')
      })
    },
    async empty() {
      await removeFiles(files)
      transaction(() => {
        const others = ['pending_reviews', ...CHAT_TABLES, 'edits', 'visitors', 'seen_marks', 'filling']
        for (const table of [...SIMPLE_TABLES, ...others]) db.exec(`DELETE FROM ${table}`)
        db.exec(CLEAR_SEARCH)
        db.exec(CLEAR_REPORTS)
      })
    },
    async insert(table, rows) {
      transaction(() => {
        for (const row of rows) insert[table](row)
      })
    },
    async chatsSoFar(clientIds) {
      const found = new Map<string, { epoch: string; seq: number }>()
      for (const id of clientIds) {
        const row = sql.soFar.get(id) as { epoch: string; seq: number } | undefined
        if (row !== undefined) found.set(id, row)
      }
      return found
    },
    async forget(clientIds) {
      transaction(() => {
        for (const id of clientIds) {
          sql.forgetMessages.run(id)
          sql.forgetActivity.run(id, 0)
          sql.forgetConversation.run(id)
          sql.forgetVisitor.run(id)
          sql.forgetSeen.run(id)
          sql.forgetEdits.run(id)
        }
      })
    },
    async put(messages, chats, activity) {
      transaction(() => {
        for (const { waitingSince: _, edited, ...message } of messages) {
          sql.messages.run(columnsOf(message))
          if (edited === null) continue
          const { clientId, seq } = message
          const { edit, message: words, at: editedAt } = edited
          sql.edits.run({ clientId, seq, edit, words, editedAt })
        }
        for (const { clientId, n } of firstEntries(activity)) sql.forgetActivity.run(clientId, n)
        for (const { epoch: _, by, ...row } of activity) sql.activity.run(columnsOf({ ...row, byId: by }))
        for (const { conversation, activityN } of chats) {
          const { visitor, seen, ...row } = conversation
          sql.conversations.run(columnsOf({ ...row, activityN }))
          sql.forgetSeen.run(row.clientId)
          for (const mark of seen) sql.seenMarks.run({ clientId: row.clientId, ...mark })
          if (visitor === null) sql.forgetVisitor.run(row.clientId)
          else sql.visitors.run(visitorColumns({ clientId: row.clientId, ...visitor }))
        }
      })
    },
  }
}

/**
 * Prepares a finished copy before a server uses the database: removes its mark, and derives again what copies leave out.
 * Throws when the copy is unfinished.
 */
export function takeOver(db: DatabaseSync): void {
  const { changes } = db.prepare(`DELETE FROM filling WHERE state = 'filled'`).run()
  if (changes > 0) {
    deriveInboxRows(db)
    // The index is divided again, because a server that opened the store while it was empty made a single segment.
    db.exec(CLEAR_SEARCH)
    db.exec(CLEAR_REPORTS)
    openAuditChain(db)(copiedEntry)
  }
  if (fillingOf(db) !== null) throw halfFilled()
}

function fillingOf(db: DatabaseSync): Filling | null {
  const row = db.prepare('SELECT state, source, salt FROM filling').get() as Filling | undefined
  return row === undefined ? null : { ...row }
}

const SELECTIONS: Record<Exclude<Table, FileTable>, string> = {
  ...ofPlainTables((table) => {
    const columns = Object.keys(copiedFields(table)).join(', ')
    return `SELECT ${columns} FROM ${table.name} ORDER BY ${table.key}`
  }),
  reviews: `SELECT _id, name, time, star, review, createdAt, demo, 0 AS pending FROM reviews UNION ALL
    SELECT _id, name, time, star, review, createdAt, 0 AS demo, 1 AS pending FROM pending_reviews ORDER BY _id`,
  milestones: `SELECT ${FIELDS.milestones.join(', ')} FROM milestones ORDER BY name`,
  ...CHAT_ROWS,
  attachments: `SELECT ${FIELDS.attachments.join(', ')} FROM attachments WHERE messageNonce IS NOT NULL ORDER BY _id`,
}

function source(db: DatabaseSync, files: ReadFileStores): CopySource {
  async function* rows(): AsyncIterable<Entry> {
    // The first read takes the snapshot.
    db.exec('BEGIN')
    try {
      for (const table of SIMPLE_TABLES) {
        if (table === 'attachments') continue
        for (const row of db.prepare(SELECTIONS[table]).iterate()) {
          yield { table, row: rowOf(ROWS[table], row) } as Entry
        }
      }
      yield* copiedChats(db, files.attachmentFiles)
    } finally {
      db.exec('COMMIT')
    }
  }

  const firstUser = db.prepare('SELECT _id, createdAt FROM users ORDER BY _id LIMIT 1')
  return {
    id: async () => storeId(firstUser.get() as { _id: string; createdAt: number } | undefined),
    async counts() {
      const counts = { uploads: (await files.uploads.list()).length } as Counts
      for (const table of [...SIMPLE_TABLES, ...CHAT_TABLES]) {
        const { count } = db.prepare(`SELECT count(*) AS count FROM (${SELECTIONS[table]})`).get() as {
          count: number
        }
        counts[table] = count
      }
      counts.attachmentFiles = counts.attachments
      return counts
    },
    entries: () => withUploads(files.uploads, rows),
    async close() {
      if (db.isOpen) db.close()
    },
  }
}
