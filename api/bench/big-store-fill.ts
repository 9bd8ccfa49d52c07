import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { aliasOf } from '@proctorpass/shared/alias'
import { migrate } from '../src/storage/sqlite/schema.ts'
import { signInAsAdmin } from '../test/chat-client.ts'
import { startProduct } from './benchmark.ts'
import { type CopiedConversation, fillWithCopies } from './copied-stores.ts'
import { randomTexts, untilIndexed } from './search.ts'

const DAY_MS = 86_400_000
const ADMIN_ID = '000000000000000000000001'

/** A day's conversations, which are the small store, and the messages in each. */
export const CONVERSATIONS = 1_000
export const MESSAGES_EACH = 17
/** Unread conversations of the newest day. The copied days have none. */
const UNREAD = 100
/** Messages of the newest day with a word that the copied days lack. */
const RARE = 20
export const RARE_WORD = 'quetzal'

/** Fills a store with the conversations of yesterday, with a search index and figures by the product itself. */
export async function fillDay(dataDir: string): Promise<string> {
  const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS
  const text = randomTexts()
  const first = await fillWithCopies(dataDir, CONVERSATIONS, (clientId, index): CopiedConversation => {
    const isUnread = index < UNREAD
    return {
      messages: Array.from({ length: MESSAGES_EACH }, (_, at) => ({
        senderId: at % 2 === 0 && at < MESSAGES_EACH - 1 ? clientId : ADMIN_ID,
        createdAt: start + index * 80_000 + at * 300 + 1,
        message: index < RARE && at === 0 ? `${text()} ${RARE_WORD}` : text(),
      })),
      chat: {
        status: isUnread || index % 4 === 0 ? 'open' : 'resolved',
        ...(isUnread ? { adminRead: 0, adminReadCount: 0 } : {}),
      },
    }
  })
  const server = await startProduct(dataDir)
  try {
    const { accessToken: token } = await signInAsAdmin(server.origin)
    await untilIndexed({ server, token })
    while (!hasFigures(dataDir)) await wait(200)
  } finally {
    await server.stop()
  }
  return first
}

function hasFigures(dataDir: string): boolean {
  const db = new DatabaseSync(join(dataDir, 'chat.sqlite'), { readOnly: true })
  const found = db.prepare('SELECT min(dirtyCount = 0) AS done FROM reportDays').get() as {
    done: number | null
  }
  const { count } = db.prepare('SELECT count(*) AS count FROM reportProgress').get() as { count: number }
  db.close()
  return found.done === 1 && count === CONVERSATIONS
}

/** In SQL: the ID in the copy of the day that is `k` days earlier, and the copy's segment of the search index. */
const ID = (of: string) => `substr(${of}, 1, 16) || printf('%04d', k)`
const EARLIER = (time: string) => `${time} - k * ${DAY_MS}`
const SEGMENT = (of: string) => `${of} + k * (SELECT max(id) FROM day.search_segments)`

/** The tables of a day: what differs in a copied row, and the rows in an order in which each is appended. */
const COPIED: Record<string, { moved: Record<string, string>; from: string }> = {
  conversations: {
    moved: {
      ...{ clientId: ID('clientId'), lastAt: EARLIER('lastAt') },
      ...{ adminRead: 'seq', adminReadCount: 'visitorCount' },
    },
    from: `day.conversations CROSS JOIN copies`,
  },
  messages: {
    moved: {
      ...{ clientId: ID('clientId'), createdAt: EARLIER('createdAt') },
      senderId: `iif(senderId = clientId, ${ID('clientId')}, senderId)`,
      message: `replace(message, ' ${RARE_WORD}', '')`,
    },
    from: `(SELECT clientId AS owner FROM day.conversations) CROSS JOIN copies
      CROSS JOIN day.messages ON clientId = owner`,
  },
  search_progress: {
    moved: { owner: ID('owner'), visitor: `aliasOf(${ID('owner')})` },
    from: `day.search_progress CROSS JOIN copies`,
  },
  search_segments: {
    moved: {
      id: SEGMENT('id'),
      since: EARLIER('iif(since = 0, (SELECT min(at) FROM day.search_entries), since)'),
    },
    from: `copies CROSS JOIN day.search_segments`,
  },
  search_entries: {
    moved: { segment: SEGMENT('segment'), at: EARLIER('at'), owner: ID('owner') },
    from: `copies CROSS JOIN day.search_entries`,
  },
  search_terms: {
    moved: { segment: SEGMENT('segment') },
    from: `copies CROSS JOIN day.search_terms ON term NOT LIKE '${RARE_WORD}%'`,
  },
  reportProgress: {
    moved: { clientId: ID('clientId') },
    from: `day.reportProgress CROSS JOIN copies`,
  },
  reportParts: {
    moved: {
      ...{ _id: `${ID('clientId')} || ' ' || (quarter - k * 96)`, clientId: ID('clientId') },
      quarter: 'quarter - k * 96',
    },
    from: `day.reportParts CROSS JOIN copies`,
  },
  reportDays: {
    moved: { day: `date(day, '-' || k || ' days')` },
    from: `copies CROSS JOIN day.reportDays`,
  },
}

/**
 * Makes the large store: the day, and copies of it on the days before. Each copy has its own conversations, with their
 * messages, search index, and figures. This takes a hundredth of the time in which the product would do it.
 */
export function copyDay(dayDir: string, dataDir: string, days: number): void {
  const file = join(dataDir, 'chat.sqlite')
  copyFileSync(join(dayDir, 'chat.sqlite'), file)
  const db = openForFilling(file, join(dayDir, 'chat.sqlite'))
  db.function('aliasOf', { deterministic: true }, (clientId) => aliasOf(String(clientId)))
  db.exec(`
    CREATE TEMP TABLE copies AS
      WITH RECURSIVE counted (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM counted WHERE k < ${days - 1}) SELECT k FROM counted;
  `)
  for (const [table, { moved, from }] of Object.entries(COPIED)) {
    const columns = columnsOf(db, 'main', table)
    const values = columns.map((column) => moved[column] ?? column)
    db.exec(`INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`)
  }
  db.exec(`
    -- A store's first segment begins at 0.
    UPDATE main.search_segments SET since = (SELECT min(at) FROM day.search_entries) WHERE since = 0;
    UPDATE main.search_segments SET since = 0 WHERE since = (SELECT min(since) FROM main.search_segments);
    UPDATE main.conversation_counts SET count = count * ${days};
  `)
  db.exec('COMMIT')
  db.close()
}

/** Copies a store into a new one with an older schema: the tables and columns that it has. */
export function copyToSchema(fromDir: string, dataDir: string, version: number): void {
  const file = join(dataDir, 'chat.sqlite')
  const empty = new DatabaseSync(file)
  migrate(empty, version)
  empty.close()
  const db = openForFilling(file, join(fromDir, 'chat.sqlite'))
  const tables = db.prepare(
    `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'`,
  )
  for (const { name } of tables.all() as { name: string }[]) {
    const kept = columnsOf(db, 'day', name)
    const columns = columnsOf(db, 'main', name).filter((column) => kept.includes(column))
    if (columns.length === 0) continue
    db.exec(
      `INSERT OR REPLACE INTO main.${name} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM day.${name}`,
    )
  }
  db.exec('COMMIT')
  db.close()
}

/** Opens the file without a journal on disk, and attaches the other as `day`. A transaction is open. */
function openForFilling(file: string, other: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec(`
    PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
    ATTACH '${other}' AS day; BEGIN
  `)
  return db
}

function columnsOf(db: DatabaseSync, schema: string, table: string): string[] {
  // Hidden columns are generated.
  const found = db.prepare(`SELECT name FROM pragma_table_xinfo(?, ?) WHERE hidden = 0`).all(table, schema)
  return (found as { name: string }[]).map(({ name }) => name)
}
