import type { DatabaseSync } from 'node:sqlite'
import { type IndexedText, SEARCH_TYPES } from '../model/search.ts'

/**
 * A segment with this many texts or terms is full, and later texts begin another one. One write or one removal touches at
 * most a full segment, which is about a megabyte.
 */
const SEGMENT_TEXTS = 2_048
const SEGMENT_TERMS = 32_768
/**
 * A full segment that gets so many late texts or terms, as a multiple of the bounds above, is split, which takes some
 * dozens of milliseconds. Ordinary texts are late by moments, and their segments stay far below.
 */
const SPLIT_AT = 2
/** The slots in one segment. A slot is a code point below the surrogates. */
const SLOTS_MAX = 50_000
/** The term rows that one removal step reads, which takes a few milliseconds. */
const REMOVE_AT_ONCE = 1_000

export interface EntryRow {
  at: number
  slot: number
  type: number
  owner: string
  n: number
}

/** The place where an owner's removal continues: after the term `after` in a segment. */
export interface RemovalPlace {
  segment: number
  after: string
}

/** The slots that a write adds to the term rows, by segment and term, so that each row is written once. */
export type TermRows = Map<number, Map<string, string>>

/**
 * Writes the rows of the search index. A segment holds the texts from a span of time, each under a slot. Each term in a
 * segment has a row with the slots of its texts, one character per slot. So a write touches only one segment's rows, a
 * removal step reads only one segment's rows, and a search goes through the segments from the newest to the oldest and
 * looks up each term in each segment.
 */
export function openSearchIndex(db: DatabaseSync) {
  const sql = {
    segmentAt: db.prepare('SELECT * FROM search_segments WHERE since <= ? ORDER BY since DESC LIMIT 1'),
    addSegment: db.prepare('INSERT INTO search_segments (since, texts, terms) VALUES (?, 0, 0)'),
    countText: db.prepare(
      'UPDATE search_segments SET texts = texts + 1, terms = terms + :terms WHERE id = :segment',
    ),
    countTerms: db.prepare('UPDATE search_segments SET terms = terms + :terms WHERE id = :segment'),
    last: db.prepare('SELECT max(at) AS at FROM search_entries WHERE segment = ?'),
    entry: db.prepare('SELECT segment, at, slot FROM search_entries WHERE owner = ? AND type = ? AND n = ?'),
    addEntry: db.prepare(
      'INSERT INTO search_entries (segment, at, slot, owner, type, n) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    removeEntry: db.prepare('DELETE FROM search_entries WHERE segment = ? AND at = ? AND slot = ?'),
    entriesOf: db.prepare(
      'SELECT at, slot, owner, type, n FROM search_entries WHERE segment = ? ORDER BY at, slot',
    ),
    forgetSegment: db.prepare('DELETE FROM search_entries WHERE segment = ?'),
    setCounts: db.prepare('UPDATE search_segments SET texts = ?, terms = ? WHERE id = ?'),
    terms: db.prepare('SELECT term, slots FROM search_terms WHERE segment = ?'),
    slots: db.prepare('SELECT slots FROM search_terms WHERE segment = ? AND term = ?'),
    addSlots: db.prepare(
      `INSERT INTO search_terms (segment, term, slots) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET slots = slots || excluded.slots`,
    ),
    setSlots: db.prepare('UPDATE search_terms SET slots = ? WHERE segment = ? AND term = ?'),
    removeTerm: db.prepare('DELETE FROM search_terms WHERE segment = ? AND term = ?'),
    termsAfter: db.prepare(
      `SELECT term, slots FROM search_terms WHERE segment = ? AND term > ? ORDER BY term LIMIT ${REMOVE_AT_ONCE}`,
    ),
    ofOwner: db.prepare(
      `SELECT segment, slot FROM search_entries WHERE owner = ?1 AND segment =
         coalesce(?2, (SELECT segment FROM search_entries WHERE owner = ?1 LIMIT 1))`,
    ),
    forgetEntries: db.prepare('DELETE FROM search_entries WHERE owner = ? AND segment = ?'),
    // The previous segment takes over its span of time.
    removeEmpty: db.prepare(
      `DELETE FROM search_segments WHERE id = ?1 AND since > 0
         AND NOT EXISTS (SELECT 1 FROM search_entries WHERE segment = ?1)`,
    ),
  }
  if (db.prepare('SELECT 1 FROM search_segments LIMIT 1').get() === undefined) db.exec(DIVIDE)

  /**
   * Returns a place for a text with this time. The text begins a new segment if the segment for its time is full and has
   * only older texts. If a full segment gets many late texts, as after an import, it is split.
   */
  function placeFor(time: number, rows: TermRows): { segment: number; slot: number; at: number } {
    const at = Math.max(0, Math.trunc(time))
    const found = sql.segmentAt.get(at) as { id: number; texts: number; terms: number } | undefined
    const begin = (since: number) => ({
      segment: Number(sql.addSegment.run(since).lastInsertRowid),
      slot: 1,
      at: since,
    })
    if (found === undefined) return { ...begin(0), at }
    if (found.texts >= SEGMENT_TEXTS || found.terms >= SEGMENT_TERMS) {
      const last = (sql.last.get(found.id) as { at: number | null }).at ?? 0
      if (at > last) return begin(at)
      const isOverfull = found.texts >= SPLIT_AT * SEGMENT_TEXTS || found.terms >= SPLIT_AT * SEGMENT_TERMS
      if (isOverfull) {
        write(rows)
        if (split(found.id)) return placeFor(time, rows)
      }
      // Only texts with one and the same time can use up a segment's slots. The text then gets a place at a later time.
      if (found.texts >= SLOTS_MAX) return placeFor(last + 1, rows)
    }
    return { segment: found.id, slot: found.texts + 1, at }
  }

  /**
   * Moves a segment's later half to a new segment. Both get new slots, so that the slots of removed texts are free again.
   * Returns false if all of its texts have the same time.
   */
  function split(segment: number): boolean {
    const entries = sql.entriesOf.all(segment) as unknown as EntryRow[]
    const middle = entries[entries.length >> 1]?.at
    const since = entries.find(({ at }) => at >= (middle ?? 0) && at > (entries[0]?.at ?? 0))?.at
    if (since === undefined) return false
    const first = entries.findIndex(({ at }) => at >= since)
    const later = Number(sql.addSegment.run(since).lastInsertRowid)
    const halves = [
      { id: segment, entries: entries.slice(0, first), slots: new Map<string, string>(), terms: 0 },
      { id: later, entries: entries.slice(first), slots: new Map<string, string>(), terms: 0 },
    ]
    sql.forgetSegment.run(segment)
    for (const half of halves) {
      for (const [index, { at, slot, owner, type, n }] of half.entries.entries()) {
        half.slots.set(String.fromCharCode(slot), String.fromCharCode(index + 1))
        sql.addEntry.run(half.id, at, index + 1, owner, type, n)
      }
    }
    for (const { term, slots } of sql.terms.all(segment) as { term: string; slots: string }[]) {
      for (const half of halves) {
        let kept = ''
        for (const slot of slots) kept += half.slots.get(slot) ?? ''
        half.terms += kept.length
        if (half.id === later) {
          if (kept !== '') sql.addSlots.run(later, term, kept)
        } else if (kept === '') sql.removeTerm.run(segment, term)
        else sql.setSlots.run(kept, segment, term)
      }
    }
    for (const half of halves) sql.setCounts.run(half.entries.length, half.terms, half.id)
    return true
  }

  function write(rows: TermRows): void {
    for (const [segment, terms] of rows) {
      for (const [term, slots] of terms) sql.addSlots.run(segment, term, slots)
    }
    rows.clear()
  }

  function removeTerms(segment: number, terms: readonly string[], removed: string): void {
    for (const term of terms) {
      const row = sql.slots.get(segment, term) as { slots: string } | undefined
      if (row !== undefined) replaceSlots(segment, { term, slots: row.slots }, removed)
    }
  }

  function replaceSlots(
    segment: number,
    { term, slots }: { term: string; slots: string },
    removed: string,
  ): void {
    const kept = [...slots].filter((slot) => !removed.includes(slot)).join('')
    if (kept === '') sql.removeTerm.run(segment, term)
    else if (kept.length < slots.length) sql.setSlots.run(kept, segment, term)
  }

  return {
    /**
     * Indexes some of a text's terms. The text's first call gives it its place. `absent` says that none of these terms
     * has the text yet. Returns whether the text was new.
     */
    add(rows: TermRows, owner: string, text: IndexedText, terms: readonly string[], absent = false): boolean {
      const type = SEARCH_TYPES.indexOf(text.type)
      let entry = sql.entry.get(owner, type, text.n) as
        | { segment: number; at: number; slot: number }
        | undefined
      if (entry !== undefined && text.formerTerms !== undefined) {
        removeTerms(entry.segment, text.formerTerms, String.fromCharCode(entry.slot))
        sql.removeEntry.run(entry.segment, entry.at, entry.slot)
        entry = undefined
      }
      const isNew = entry === undefined
      if (terms.length === 0) return isNew
      const { segment, slot, at } = entry ?? placeFor(text.at, rows)
      if (isNew) {
        sql.addEntry.run(segment, at, slot, owner, type, text.n)
        sql.countText.run({ segment, terms: terms.length })
      } else sql.countTerms.run({ segment, terms: terms.length })
      const ofSegment = rows.get(segment) ?? new Map<string, string>()
      rows.set(segment, ofSegment)
      const character = String.fromCharCode(slot)
      for (const term of terms) {
        // A process that died may have added the text to this term before.
        const known =
          isNew || absent ? undefined : (sql.slots.get(segment, term) as { slots: string } | undefined)
        if (known?.slots.includes(character)) continue
        ofSegment.set(term, (ofSegment.get(term) ?? '') + character)
      }
      return isNew
    },

    write,

    /** Removes some of an owner's terms from one segment. `next` is set while this segment has more of them. */
    remove(owner: string, from: RemovalPlace | undefined): { done: boolean; next?: RemovalPlace } {
      const entries = sql.ofOwner.all(owner, from?.segment ?? null) as { segment: number; slot: number }[]
      const [first] = entries
      // If the segment was split in between, another one has the owner's texts.
      if (first === undefined) return from === undefined ? { done: true } : this.remove(owner, undefined)
      const { segment } = first
      const slots = String.fromCharCode(...entries.map(({ slot }) => slot))
      const rows = sql.termsAfter.all(segment, from?.after ?? '') as { term: string; slots: string }[]
      for (const row of rows) replaceSlots(segment, row, slots)
      const last = rows.at(-1)
      if (rows.length === REMOVE_AT_ONCE && last !== undefined) {
        return { done: false, next: { segment, after: last.term } }
      }
      sql.forgetEntries.run(owner, segment)
      sql.removeEmpty.run(segment)
      return { done: sql.ofOwner.get(owner, null) === undefined }
    },
  }
}

/** Empties the index. The next process that opens the store divides it into segments. */
export const CLEAR_SEARCH = `DELETE FROM search_progress; DELETE FROM search_entries; DELETE FROM search_terms;
  DELETE FROM search_segments`

/**
 * Creates a segment for about every thousand messages that the store already has. They need segments in advance, because
 * they are indexed conversation by conversation and not in the order of their times.
 */
const DIVIDE = `INSERT INTO search_segments (since, texts, terms) SELECT 0, 0, 0 UNION
  SELECT min(lastAt), 0, 0 FROM
    (SELECT lastAt, sum(seq) OVER (ORDER BY lastAt, clientId) / 1024 AS part FROM conversations WHERE seq > 0)
  GROUP BY part`
