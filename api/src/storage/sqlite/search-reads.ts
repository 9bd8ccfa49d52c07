import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SEARCH_TYPES, type SearchFilter, type SearchTerms } from '../model/search.ts'
import type { EntryRow } from './search-index.ts'

/** Appended to a beginning, it sorts after every term with that beginning. */
const LAST = '\u{10ffff}'
const CONTACT = SEARCH_TYPES.indexOf('contact')

interface Condition {
  sql: string
  values: (string | number | null)[]
}

export interface Segment {
  segment: number
  since: number
  texts: number
}

/** Opens the reads that a search needs. */
export function openSegmentReads(db: DatabaseSync) {
  const sql = {
    slots: db.prepare('SELECT slots FROM search_terms WHERE segment = ? AND term = ?'),
    slotsOfBeginning: db.prepare(
      'SELECT slots FROM search_terms WHERE segment = ? AND term >= ? AND term < ?',
    ),
  }
  /** Prepared statements by their SQL, which depends only on the number of terms and on the filter's fields. */
  const statements = new Map<string, StatementSync>()

  function prepared(text: string): StatementSync {
    const known = statements.get(text) ?? db.prepare(text)
    statements.set(text, known)
    return known
  }

  return {
    /** Returns the newest segment that begins before a time and may have texts with all of these terms. */
    nextSegment(terms: SearchTerms, before: number): Segment | undefined {
      const found = candidates(terms).get(
        before,
        ...terms.whole,
        ...terms.beginning.flatMap((term) => [term, term + LAST]),
      )
      return found as unknown as Segment | undefined
    },

    /**
     * Returns a segment's newest entries whose texts have all of the terms and fit the filter. `read` is the number of
     * entries with the terms.
     */
    entriesIn(
      { segment, texts }: Segment,
      terms: SearchTerms,
      {
        before,
        limit,
        filter,
      }: { before: { at: number; slot: number }; limit: number; filter: SearchFilter },
    ): { rows: EntryRow[]; read: number } {
      let common: string[] | undefined
      for (const slots of slotsOf(segment, terms)) {
        const known = new Set(slots)
        common = [...(common ?? known)].filter((slot) => known.has(slot))
        if (common.length === 0) return { rows: [], read: 0 }
      }
      const fitting = conditionOf(filter)
      const withTerms: Condition =
        common === undefined
          ? { sql: 'true', values: [] }
          : {
              sql: 'slot IN (SELECT value FROM json_each(?))',
              values: [JSON.stringify(common.map((slot) => slot.charCodeAt(0)))],
            }
      const rows = prepared(
        `SELECT at, slot, type, owner, n FROM search_entries
         WHERE segment = ? AND (at, slot) < (?, ?) AND ${withTerms.sql} AND ${fitting.sql}
         ORDER BY at DESC, slot DESC LIMIT ?`,
      ).all(segment, before.at, before.slot, ...withTerms.values, ...fitting.values, limit)
      return { rows: rows as unknown as EntryRow[], read: common?.length ?? texts }
    },
  }

  function* slotsOf(segment: number, { whole, beginning }: SearchTerms): Iterable<string> {
    for (const term of whole)
      yield (sql.slots.get(segment, term) as { slots: string } | undefined)?.slots ?? ''
    for (const term of beginning) {
      const rows = sql.slotsOfBeginning.all(segment, term, term + LAST) as { slots: string }[]
      yield rows.map(({ slots }) => slots).join('')
    }
  }

  function candidates({ whole, beginning }: SearchTerms): StatementSync {
    const has = (condition: string) =>
      ` AND EXISTS (SELECT 1 FROM search_terms WHERE segment = b.id AND ${condition})`
    const conditions = [
      ...whole.map(() => has('term = ?')),
      ...beginning.map(() => has('term >= ? AND term < ?')),
    ]
    return prepared(
      `SELECT b.id AS segment, b.since, b.texts FROM search_segments b WHERE b.since < ?${conditions.join('')}
       ORDER BY b.since DESC LIMIT 1`,
    )
  }
}

/** Returns what an entry must fit beside its terms and the time before which it was written. */
function conditionOf({ types, statuses, labelKey, siteId, since = 0 }: SearchFilter): Condition {
  const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ')
  const conversation = ['c.clientId = owner', `c.status IN (${marks(statuses)})`]
  const values: Condition['values'] = [...statuses]
  if (siteId !== undefined) {
    conversation.push('c.siteId IS ?')
    values.push(siteId)
  }
  if (labelKey !== undefined) {
    conversation.push(
      'EXISTS (SELECT 1 FROM conversation_labels l WHERE l.labelKey = ? AND l.clientId = owner)',
    )
    values.push(labelKey)
  }
  const ofConversation = `EXISTS (SELECT 1 FROM conversations c WHERE ${conversation.join(' AND ')})`
  return {
    sql: `at >= ? AND type IN (${marks(types)}) AND (type = ${CONTACT} OR ${ofConversation})`,
    values: [since, ...types.map((type) => SEARCH_TYPES.indexOf(type)), ...values],
  }
}
