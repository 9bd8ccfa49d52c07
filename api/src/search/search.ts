import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import { isLonger } from '@proctorpass/shared/fields/text'
import { mayHaveMarks } from '@proctorpass/shared/format-marks'
import { withoutMarks } from '@proctorpass/shared/formatted-text'
import { SEARCH_LIMIT_DEFAULT, SEARCH_QUERY_MAX } from '@proctorpass/shared/limits'
import {
  SEARCH_FILTERS,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
} from '@proctorpass/shared/schemas/search'
import type { AdminCaller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { FoundText, SearchFilter } from '../storage/model/search.ts'
import type { Storage, StoredChange } from '../storage/model/storage.ts'
import { parseFilters } from './filters.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { EVERY_WORD, parseQuery, type Query } from './query.ts'
import { snippetOf } from './snippet.ts'

/** The most texts and characters that one search reads. A search for words that rarely stand together ends there. */
const TEXTS_MAX = 1_000
const CHARACTERS_MAX = 400_000
/** How many texts are read at once, which takes some milliseconds. */
const READ_AT_ONCE = 100
/**
 * How many characters are searched before other requests run, which takes some milliseconds. The number is smaller for
 * many words.
 */
const CHARACTERS_AT_ONCE = 10_000
const PARTS_AT_ONCE = 10

interface SearchDeps {
  storage: Storage
  limits: Pick<Limits, 'take'>
  now: () => number
}

/** Creates a search over an index that follows what this process stores. */
export function createSearch({ storage, limits, now }: SearchDeps) {
  const indexer = createIndexer({ storage, now })
  storage.onStored((change) => followStored(indexer, change))

  return {
    start: indexer.start,
    close: indexer.close,
    /** Searches. Throws as `check` does, and an AppError `invalid-input` for a wrong cursor. */
    async search(
      admin: AdminCaller,
      { limit = SEARCH_LIMIT_DEFAULT, cursor, ...query }: SearchQuery,
    ): Promise<SearchPage> {
      await limits.take('search', admin.userId)
      const wanted = parse(admin, query)
      const before = cursor === undefined ? undefined : parseCursor(cursor)
      if (wanted === null) return { hits: [], next: null }
      const isCurrent = await indexer.settle()
      const { hits, next } = await find(storage, wanted, { limit, before })
      const page: SearchPage = {
        hits,
        next: next === null ? null : Buffer.from(next).toString('base64url'),
      }
      return isCurrent ? page : { ...page, indexing: true }
    },

    /**
     * Throws an AppError `invalid-input` for a query that is too long, a wrong filter, and a search without words and
     * filters.
     */
    check(admin: AdminCaller, query: SearchQuery): void {
      parse(admin, query)
    },

    /** Counts each query's hits, up to `max`. A null, and a query that is not valid anymore, has none. */
    async count(
      admin: AdminCaller,
      queries: readonly (SearchQuery | null)[],
      max: number,
    ): Promise<{ count: number; more: boolean }[]> {
      if (queries.length > 0) await indexer.settle()
      const counts: { count: number; more: boolean }[] = []
      for (const query of queries) {
        const wanted = query === null ? null : parseStored(admin, query)
        if (wanted === null) {
          counts.push({ count: 0, more: false })
          continue
        }
        // One more shows whether there are more.
        const { hits, next } = await find(storage, wanted, { limit: max + 1, before: undefined })
        counts.push({ count: Math.min(hits.length, max), more: hits.length > max || next !== null })
      }
      return counts
    },
  }

  /** Returns what a hit must have. Null if nothing can be found. */
  function parse({ userId }: AdminCaller, { q, ...filters }: SearchQuery): Wanted | null {
    if (q === undefined && SEARCH_FILTERS.every((name) => filters[name] === undefined)) {
      throw invalid('q', 'Give words or a filter', 'This search is empty.')
    }
    if (q !== undefined && isLonger(q, SEARCH_QUERY_MAX)) {
      throw invalid('q', `Use ${SEARCH_QUERY_MAX} characters or fewer`, 'This search is too long.')
    }
    const { filter, tags } = parseFilters(filters, { userId, now: now() })
    const words = q === undefined ? EVERY_WORD : parseQuery(q)
    if (words === null) return null
    return { ...words, terms: { ...words.terms, whole: [...tags, ...words.terms.whole] }, filter }
  }

  function parseStored(admin: AdminCaller, query: SearchQuery): Wanted | null {
    try {
      return parse(admin, query)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
}

interface Wanted extends Query {
  filter: SearchFilter
}

export type Search = ReturnType<typeof createSearch>

const FOLLOWED: ReadonlySet<StoredChange['kind']> = new Set([
  'message',
  'edit',
  'note',
  'mail',
  'erase',
  'unknown',
])

/** Passes changed owners to the indexer. In a visitor's profile, a search finds only the name and the email address. */
function followStored({ changed }: Pick<Indexer, 'changed'>, change: StoredChange): void {
  if (change.kind === 'contact') changed(change.contactId, 'contact')
  else if (change.kind === 'profile') {
    const isFound = change.fields.includes('name') || change.fields.includes('email')
    if (isFound) changed(change.clientId, 'conversation')
  } else if (FOLLOWED.has(change.kind) && 'clientId' in change) changed(change.clientId, 'conversation')
}

/** Reads texts that have the query's terms until enough of them match. */
async function find(
  { search }: Pick<Storage, 'search'>,
  { parts, terms, match, filter }: Wanted,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<{ hits: SearchHit[]; next: string | null }> {
  const hits: SearchHit[] = []
  let place = before
  let texts = 0
  let characters = 0
  const charactersAtOnce = CHARACTERS_AT_ONCE / Math.max(1, parts / PARTS_AT_ONCE)
  let turnAt = charactersAtOnce
  while (texts < TEXTS_MAX && characters < CHARACTERS_MAX) {
    // The first batch is as large as nearly every search needs, because usually all texts with the terms match.
    const batchSize = texts === 0 ? limit : READ_AT_ONCE
    const { found, next, exhausted } = await search.find(terms, { limit: batchSize, before: place, filter })
    for (const text of found) {
      if (characters > turnAt) {
        await nextTurn()
        turnAt = characters + charactersAtOnce
      }
      characters += text.text.length
      const ranges = match(text.text)
      if (ranges === null) continue
      const plain = text.formatted && mayHaveMarks(text.text) ? withoutMarks(text.text) : text.text
      // A link's address is found, too, and stands only in the text as it was typed.
      const inPlain = plain === text.text ? ranges : match(plain)
      hits.push(hitOf(text, inPlain === null ? snippetOf(text.text, ranges) : snippetOf(plain, inPlain)))
      if (hits.length === limit) {
        const isLast = text === found.at(-1) && next === null
        return { hits, next: isLast ? null : text.place }
      }
    }
    if (next === null || exhausted) return { hits, next }
    place = next
    texts += batchSize
    await nextTurn()
  }
  return { hits, next: place ?? null }
}

function hitOf({ type, owner, n, at, name }: FoundText, snippet: SearchHit['snippet']): SearchHit {
  return {
    type,
    ...(type === 'contact' ? { contactId: owner } : { clientId: owner }),
    ...(name === null ? {} : { name }),
    ...(type === 'message' ? { seq: n } : {}),
    ...(type === 'note' ? { n } : {}),
    at: new Date(at).toISOString(),
    snippet,
  }
}

function parseCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString()
  if (/^[0-9A-Za-z:-]{1,80}$/.test(place)) return place
  throw invalid('cursor', "Use the answer's next", "The cursor isn't valid.")
}

function invalid(field: string, problem: string, message: string): AppError {
  return new AppError('invalid-input', message, { details: [{ field, message: problem }] })
}
