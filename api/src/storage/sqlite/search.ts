import type { DatabaseSync } from 'node:sqlite'
import type { ContactRecord } from '../records.ts'
import type {
  FoundText,
  IndexedText,
  IndexProgress,
  IndexUpdate,
  SearchRepository,
  SearchTerms,
  SearchType,
  StaleOwners,
} from '../search.ts'
import { contactText, SEARCH_TYPES, visitorText } from '../search.ts'
import type { WriteQueue } from './write-queue.ts'

/** Entries of one millisecond. */
const SLOTS = 2_048
/** The last millisecond whose entries have safe integers: in the year 2109. */
const AT_MAX = Math.floor(Number.MAX_SAFE_INTEGER / SLOTS) - 1
/** Removing an entry takes some milliseconds, because it overwrites its terms. */
const FORGET_AT_ONCE = 8
/** Owners compared in one call, some milliseconds. */
const COMPARE_AT_ONCE = 500

interface EntryRow {
  docId: number
  type: number
  owner: string
  n: number
}

/**
 * The search index in FTS5. A `docId` is the time of a text and a slot, so that the order of the index is that of time:
 * the newest entries are read first, without sorting. Terms arrive as they are searched for: the tokenizer of the index
 * only splits them at spaces.
 */
export function openSearch(db: DatabaseSync, queue: WriteQueue): SearchRepository {
  const sql = {
    find: db.prepare(
      `SELECT rowid AS docId, type, owner, n FROM search_entries WHERE docId IN
         (SELECT rowid FROM search_terms WHERE search_terms MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?)
       ORDER BY docId DESC`,
    ),
    message: db.prepare(
      'SELECT message AS text, createdAt AS at FROM messages WHERE clientId = ? AND seq = ?',
    ),
    note: db.prepare(
      `SELECT data ->> 'text' AS text, at FROM activity WHERE clientId = ? AND n = ? AND kind = 'note'`,
    ),
    visitor: db.prepare('SELECT name, email FROM visitors WHERE clientId = ?'),
    contact: db.prepare('SELECT email, title, message, createdAt AS at FROM contacts WHERE _id = ?'),
    isCurrent: db.prepare(
      `SELECT 1 FROM conversations c JOIN search_progress p ON p.owner = c.clientId AND p.epoch = c.epoch
       WHERE c.clientId = ?`,
    ),
    progress: db.prepare('SELECT epoch, seq, n, visitor FROM search_progress WHERE owner = ?'),
    setProgress: db.prepare(
      'INSERT OR REPLACE INTO search_progress (owner, epoch, seq, n, visitor) VALUES (?, ?, ?, ?, ?)',
    ),
    epoch: db.prepare('SELECT epoch FROM conversations WHERE clientId = ?'),
    entry: db.prepare('SELECT docId FROM search_entries WHERE owner = ? AND type = ? AND n = ?'),
    lastOfTime: db.prepare('SELECT max(docId) AS last FROM search_entries WHERE docId >= ? AND docId < ?'),
    addEntry: db.prepare('INSERT INTO search_entries (docId, owner, type, n, terms) VALUES (?, ?, ?, ?, ?)'),
    addTerms: db.prepare('INSERT INTO search_terms (rowid, terms) VALUES (?, ?)'),
    removeTerms: db.prepare('DELETE FROM search_terms WHERE rowid = ?'),
    removeEntry: db.prepare('DELETE FROM search_entries WHERE docId = ?'),
    ofOwner: db.prepare(`SELECT docId FROM search_entries WHERE owner = ? LIMIT ${FORGET_AT_ONCE}`),
    removeProgress: db.prepare('DELETE FROM search_progress WHERE owner = ?'),
  }
  const staleSteps = STALE.map((text) => db.prepare(text))

  /** The place of the next entry of a time. Texts come in order of time, so the last one is remembered. */
  let lastTaken = { at: -1, docId: -1 }
  function placeAt(time: number): number {
    const at = Math.min(Math.max(0, Math.trunc(time)), AT_MAX)
    for (
      let from = lastTaken.at === at ? lastTaken.docId - (lastTaken.docId % SLOTS) : at * SLOTS;
      ;
      from += SLOTS
    ) {
      const { last } = sql.lastOfTime.get(from, from + SLOTS) as { last: number | null }
      if (last === from + SLOTS - 1) continue
      const docId = last === null ? from : last + 1
      lastTaken = { at, docId }
      return docId
    }
  }

  function remove(docId: number): void {
    sql.removeTerms.run(docId)
    sql.removeEntry.run(docId)
  }

  function index(owner: string, { type, n, at, terms }: IndexedText): void {
    const code = SEARCH_TYPES.indexOf(type)
    const before = sql.entry.get(owner, code, n) as { docId: number } | undefined
    if (before !== undefined) remove(before.docId)
    if (terms.length === 0) return
    const docId = placeAt(at)
    const text = terms.join(' ')
    sql.addEntry.run(docId, owner, code, n, text)
    sql.addTerms.run(docId, text)
  }

  function put(updates: readonly IndexUpdate[]): void {
    const current = updates.filter(({ owner, epoch }) => {
      const found = sql.epoch.get(owner) as { epoch: string } | undefined
      return (found?.epoch ?? '') === epoch
    })
    // In order of time: each step back would write a segment of its own.
    const texts = current.flatMap(({ owner, texts }) => texts.map((text) => ({ owner, text })))
    for (const { owner, text } of texts.sort((a, b) => a.text.at - b.text.at)) index(owner, text)
    for (const { owner, epoch, seq, n, visitor } of current) {
      sql.setProgress.run(owner, epoch, seq, n, visitor)
    }
  }

  /** The text of an entry as it is now; undefined when it is gone. */
  function textOf({ docId, type, owner, n }: EntryRow): Pick<FoundText, 'text' | 'at' | 'name'> | undefined {
    if (SEARCH_TYPES[type] === 'contact') {
      const found = sql.contact.get(owner) as (ContactRecord & { at: number }) | undefined
      return found && { text: contactText(found), at: found.at, name: null }
    }
    // The numbers of an erased history mean other texts now.
    if (sql.isCurrent.get(owner) === undefined) return undefined
    const visitor = sql.visitor.get(owner) as { name: string | null; email: string | null } | undefined
    const name = visitor?.name ?? null
    if (SEARCH_TYPES[type] === 'visitor') {
      const text = visitorText(visitor)
      return text === '' ? undefined : { text, at: Math.floor(docId / SLOTS), name }
    }
    const statement = SEARCH_TYPES[type] === 'note' ? sql.note : sql.message
    const found = statement.get(owner, n) as { text: string; at: number } | undefined
    return found && { text: found.text, at: found.at, name }
  }

  return {
    async find(terms, { limit, before }) {
      const place = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before)
      const rows = sql.find.all(matchOf(terms), place, limit) as unknown as EntryRow[]
      const found = rows.flatMap((row): FoundText[] => {
        const text = textOf(row)
        if (text === undefined) return []
        const { docId, owner, n } = row
        return [{ type: SEARCH_TYPES[row.type] as SearchType, owner, n, ...text, place: String(docId) }]
      })
      return { found, next: rows.length < limit ? null : String(rows.at(-1)?.docId) }
    },

    async progressOf(owners) {
      const found = owners.map((owner) => [owner, sql.progress.get(owner)] as const)
      return new Map(found.filter(([, row]) => row !== undefined)) as unknown as Map<string, IndexProgress>
    },

    put: (updates) =>
      queue.write(() => {
        lastTaken = { at: -1, docId: -1 }
        put(updates)
      }),

    forget: (owner) =>
      queue.write(() => {
        const rows = sql.ofOwner.all(owner) as { docId: number }[]
        for (const { docId } of rows) remove(docId)
        if (rows.length === FORGET_AT_ONCE) return false
        sql.removeProgress.run(owner)
        return true
      }),

    async stale(from) {
      const { step, after } = from ?? { step: 0, after: '' }
      const rows = (staleSteps[step]?.all(after) ?? []) as {
        owner: string
        stale: number
        isContact: number
      }[]
      const owners = rows.filter(({ stale }) => stale === 1)
      const result: StaleOwners = {
        conversations: owners.filter(({ isContact }) => isContact === 0).map(({ owner }) => owner),
        contacts: owners.filter(({ isContact }) => isContact === 1).map(({ owner }) => owner),
        compared: rows.length,
        next: null,
      }
      const last = rows.at(-1)
      if (rows.length === COMPARE_AT_ONCE && last !== undefined) result.next = { step, after: last.owner }
      else if (step + 1 < STALE.length) result.next = { step: step + 1, after: '' }
      return result
    },

    // One process owns the store.
    lease: async () => ({ mine: true, complete: false }),
    async completed() {},
  }
}

/** Empties the index. */
export const CLEAR_SEARCH = `DELETE FROM search_progress; DELETE FROM search_entries;
  INSERT INTO search_terms (search_terms) VALUES ('delete-all')`

/** Owners in order of their ids, and whether the index differs: conversations, contacts, what is no longer there. */
const STALE = [
  `SELECT c.clientId AS owner, 0 AS isContact,
     p.epoch IS NOT c.epoch OR p.seq <> c.seq OR p.n <> c.activityN
       OR p.visitor <> concat_ws(' · ', nullif(v.name, ''), nullif(v.email, '')) AS stale
   FROM conversations c LEFT JOIN search_progress p ON p.owner = c.clientId
     LEFT JOIN visitors v ON v.clientId = c.clientId
   WHERE c.clientId > ? ORDER BY c.clientId LIMIT ${COMPARE_AT_ONCE}`,
  `SELECT c._id AS owner, 1 AS isContact, p.owner IS NULL AS stale
   FROM contacts c LEFT JOIN search_progress p ON p.owner = c._id
   WHERE c._id > ? ORDER BY c._id LIMIT ${COMPARE_AT_ONCE}`,
  `SELECT p.owner, 0 AS isContact,
     NOT EXISTS (SELECT 1 FROM conversations WHERE clientId = p.owner)
       AND NOT EXISTS (SELECT 1 FROM contacts WHERE _id = p.owner) AS stale
   FROM search_progress p WHERE p.owner > ? ORDER BY p.owner LIMIT ${COMPARE_AT_ONCE}`,
]

/** The longest beginnings that have an index of their own; texts are compared with the rest of a longer one. */
const BEGINNING_MAX = 6

/** The query of the index. Terms have no quotes: they are letters and digits. */
function matchOf({ whole, beginning }: SearchTerms): string {
  return [
    ...whole.map((term) => `"${term}"`),
    ...beginning.map((term) => `"${[...term].slice(0, BEGINNING_MAX).join('')}"*`),
  ].join(' AND ')
}
