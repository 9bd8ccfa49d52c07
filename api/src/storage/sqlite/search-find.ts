import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ContactRecord } from '../model/contacts.ts'
import {
  contactText,
  EVERY_TEXT,
  type FoundText,
  SEARCH_TYPES,
  type SearchType,
  visitorText,
} from '../model/search.ts'
import type { SearchRepository } from '../model/storage.ts'
import { MESSAGES_WITH_EDITS } from './columns.ts'
import type { EntryRow } from './search-index.ts'
import { openSegmentReads } from './search-reads.ts'

/** The entries that one call compares with a filter, which takes some dozens of milliseconds. */
const READ_MAX = 20_000

type PresentText = Pick<FoundText, 'text' | 'at' | 'formatted' | 'name'>

/** Opens the search. */
export function openFind(db: DatabaseSync): SearchRepository['find'] {
  const segments = openSegmentReads(db)
  const sql = {
    message: db.prepare(
      `SELECT coalesce(words, message) AS text, createdAt AS at, senderId <> clientId AS formatted FROM ${MESSAGES_WITH_EDITS}
       WHERE clientId = ? AND seq = ?`,
    ),
    note: db.prepare(
      `SELECT data ->> 'text' AS text, at, 0 AS formatted FROM activity WHERE clientId = ? AND n = ? AND kind IN ('note', 'mail')`,
    ),
    visitor: db.prepare('SELECT name, email FROM visitors WHERE clientId = ?'),
    contact: db.prepare('SELECT email, title, message, createdAt AS at FROM contacts WHERE _id = ?'),
    current: db.prepare(
      `SELECT c.seq FROM conversations c JOIN search_progress p ON p.owner = c.clientId AND p.epoch = c.epoch
       WHERE c.clientId = ?`,
    ),
  }

  /** Reads an entry's present text. Returns undefined when the text is gone. */
  function textOf({ at, type, owner, n }: EntryRow): PresentText | undefined {
    if (SEARCH_TYPES[type] === 'contact') {
      const found = sql.contact.get(owner) as (ContactRecord & { at: number }) | undefined
      return found && { text: contactText(found), at: found.at, formatted: false, name: null }
    }
    // After a history is erased, its entries' numbers refer to other texts.
    const current = sql.current.get(owner) as { seq: number } | undefined
    if (current === undefined) return undefined
    const visitor = sql.visitor.get(owner) as { name: string | null; email: string | null } | undefined
    const name = visitor?.name ?? null
    if (SEARCH_TYPES[type] === 'visitor') {
      return { text: visitorText(owner, { seq: current.seq, visitor }), at, formatted: false, name }
    }
    const statement = SEARCH_TYPES[type] === 'note' ? sql.note : sql.message
    const found = statement.get(owner, n) as { text: string; at: number; formatted: number } | undefined
    return found && { ...found, formatted: found.formatted === 1, name }
  }

  return async (terms, { limit, before, filter = EVERY_TEXT }) => {
    const place = placeOf(before, filter.until)
    const rows: EntryRow[] = []
    // Slots begin with 1, so that slot 0 is the place before all texts of its time.
    let begin = place.slot === 0 ? place.at : place.at + 1
    let read = 0
    let isOver = false
    while (rows.length < limit && read < READ_MAX) {
      const found = begin <= (filter.since ?? 0) ? undefined : segments.nextSegment(terms, begin)
      isOver = found === undefined
      if (found === undefined) break
      const entries = segments.entriesIn(found, terms, {
        before: place,
        limit: limit - rows.length,
        filter,
      })
      rows.push(...entries.rows)
      begin = found.since
      read += entries.read
      // Searching one segment takes up to a few milliseconds.
      if (rows.length < limit) await nextTurn()
    }
    const found = rows.flatMap((row): FoundText[] => {
      const text = textOf(row)
      if (text === undefined) return []
      const { type, owner, n } = row
      return [{ type: SEARCH_TYPES[type] as SearchType, owner, n, ...text, place: nameOf(row) }]
    })
    const last = rows.at(-1)
    const exhausted = rows.length < limit && !isOver
    // The search continues after the last entry, or after the segments that it has read.
    const next = exhausted ? nameOf({ at: begin, slot: 0 }) : isOver || !last ? null : nameOf(last)
    return { found, next, exhausted }
  }
}

/** Names the place where a search continues: the entry's time and slot, which together are unique. */
const nameOf = ({ at, slot }: Pick<EntryRow, 'at' | 'slot'>) => `${at}:${slot}`

/** Returns the place before which a search finds entries: an earlier answer's, or a time. */
function placeOf(
  before: string | undefined,
  until = Number.MAX_SAFE_INTEGER - 1,
): { at: number; slot: number } {
  const [at = 0, slot = 0] = before?.split(':').map(Number) ?? [until]
  return at < until ? { at, slot } : { at: until, slot: 0 }
}
