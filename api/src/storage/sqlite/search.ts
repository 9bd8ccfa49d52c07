import type { DatabaseSync } from 'node:sqlite'
import { aliasOf } from '@proctorpass/shared/alias'
import {
  COMPARE_AT_ONCE,
  FIRST_STALE,
  type IndexedText,
  type IndexProgress,
  type IndexUpdate,
  staleAfter,
} from '../model/search.ts'
import type { SearchRepository } from '../model/storage.ts'
import { openFind } from './search-find.ts'
import { openSearchIndex, type RemovalPlace, type TermRows } from './search-index.ts'
import { always, type WriteQueue } from './write-queue.ts'

/** The terms that one transaction writes, which takes a few milliseconds. */
const TERMS_AT_ONCE = 500

interface StaleRow {
  owner: string
  stale: number
  isContact: number
}

/** A part of a write with at most TERMS_AT_ONCE terms. */
interface Step {
  update: IndexUpdate
  terms: number
  run: (rows: TermRows) => void
}

export function openSearch(db: DatabaseSync, queue: WriteQueue): SearchRepository {
  db.function('aliasOf', { deterministic: true }, (clientId) => aliasOf(String(clientId)))
  const index = openSearchIndex(db)
  const sql = {
    progress: db.prepare('SELECT epoch, seq, n, visitor FROM search_progress WHERE owner = ?'),
    beginProgress: db.prepare(
      `INSERT OR IGNORE INTO search_progress (owner, epoch, seq, n, visitor) VALUES (?, ?, 0, 0, '')`,
    ),
    setProgress: db.prepare(
      'INSERT OR REPLACE INTO search_progress (owner, epoch, seq, n, visitor) VALUES (?, ?, ?, ?, ?)',
    ),
    epoch: db.prepare('SELECT epoch FROM conversations WHERE clientId = ?'),
    dataVersion: db.prepare('PRAGMA data_version'),
    removeProgress: db.prepare('DELETE FROM search_progress WHERE owner = ?'),
  }
  const staleSteps = STALE.map((text) => db.prepare(text))
  /** The place where each owner's removal continues. A new process starts a removal over. */
  const removals = new Map<string, RemovalPlace>()

  /**
   * Yields the steps in the order of their texts' times, so that segments fill in that order. The last steps store the
   * owners' progress, with what their visitors said about themselves.
   */
  function* stepsOf(updates: readonly IndexUpdate[]): Iterable<Step> {
    const texts = updates.flatMap((update) => update.texts.map((text) => ({ update, text })))
    for (const { update, text } of texts.sort((a, b) => a.text.at - b.text.at)) {
      if (text.type !== 'visitor') yield* stepsOfText(update, text)
    }
    for (const update of updates) {
      const { owner, epoch, seq, n, visitor } = update
      const said = update.texts.filter(({ type }) => type === 'visitor')
      yield {
        update,
        terms: said.reduce((sum, { terms }) => sum + terms.length, 1),
        run(rows) {
          for (const text of said) index.add(rows, owner, text, text.terms)
          sql.setProgress.run(owner, epoch, seq, n, visitor)
        },
      }
    }
  }

  function* stepsOfText(update: IndexUpdate, text: IndexedText): Iterable<Step> {
    // Terms that are neighbors in the index are written together, so that each step touches a part of a segment.
    const sorted = text.terms.toSorted()
    const { formerTerms: _, ...added } = text
    let isNew = false
    for (let from = 0; from === 0 || from < sorted.length; from += TERMS_AT_ONCE) {
      const terms = sorted.slice(from, from + TERMS_AT_ONCE)
      const run = (rows: TermRows) => {
        sql.beginProgress.run(update.owner, update.epoch)
        if (from === 0) isNew = index.add(rows, update.owner, text, terms)
        else index.add(rows, update.owner, added, terms, isNew)
      }
      yield { update, terms: terms.length + 1, run }
    }
  }

  const isCurrent = ({ owner, epoch }: IndexUpdate) => {
    const found = sql.epoch.get(owner) as { epoch: string } | undefined
    return (found?.epoch ?? '') === epoch
  }

  return {
    find: openFind(db),

    async progressOf(owners) {
      const found = owners.map((owner) => [owner, sql.progress.get(owner)] as const)
      return new Map(found.filter(([, row]) => row !== undefined)) as unknown as Map<string, IndexProgress>
    },

    async put(updates) {
      const write = (steps: Step[]) =>
        queue.write(() => {
          const rows: TermRows = new Map()
          // A conversation may have been erased since the last step.
          for (const { update, run } of steps) if (isCurrent(update)) run(rows)
          index.write(rows)
        }, always)
      let steps: Step[] = []
      let terms = 0
      for (const step of stepsOf(updates)) {
        if (steps.length > 0 && terms + step.terms > TERMS_AT_ONCE) {
          await write(steps)
          steps = []
          terms = 0
        }
        steps.push(step)
        terms += step.terms
      }
      await write(steps)
    },

    async forget(owner) {
      const { done, next } = await queue.write(() => {
        const removed = index.remove(owner, removals.get(owner))
        if (removed.done) sql.removeProgress.run(owner)
        return removed
      }, always)
      if (next === undefined) removals.delete(owner)
      else removals.set(owner, next)
      return done
    },

    async stale(from, since) {
      const cursor = from ?? FIRST_STALE
      // One process owns the store and knows what it has changed, so only a full comparison is needed.
      if (since > 0) return { conversations: [], contacts: [], compared: 0, next: null }
      const rows = (staleSteps[cursor.step]?.all(cursor.after) ?? []) as unknown as StaleRow[]
      const stale = Map.groupBy(
        rows.filter((row) => row.stale === 1),
        (row) => row.isContact,
      )
      const idsOf = (found: StaleRow[] = []) => found.map(({ owner }) => owner)
      return {
        conversations: idsOf(stale.get(0)),
        contacts: idsOf(stale.get(1)),
        compared: rows.length,
        next: staleAfter(cursor, idsOf(rows)),
      }
    },

    // One process owns the store, so it always holds the lease. This version changes when another one commits, such as
    // an import.
    async lease() {
      const { data_version } = sql.dataVersion.get() as { data_version: number }
      return { mine: true, complete: false, comparedAt: 0, asked: String(data_version) }
    },
    async askForComparison() {},
    async completed() {},
  }
}

/**
 * The queries list conversations, contacts, and removed owners in the order of their IDs, and say for which ones the
 * index differs from the tables.
 */
const STALE = [
  `SELECT c.clientId AS owner, 0 AS isContact,
     p.epoch IS NOT c.epoch OR p.seq <> c.seq OR p.n <> c.activityN
       OR p.visitor <> iif(
         c.seq = 0, '', concat_ws(' · ', nullif(v.name, ''), nullif(v.email, ''), aliasOf(c.clientId))
       ) AS stale
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
