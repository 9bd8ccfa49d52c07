import Type, { type Static } from 'typebox'
import {
  CLIENT_ID_PATTERN,
  ID_PATTERN,
  LABEL_MAX,
  SAVED_SEARCH_QUERY_MAX,
  SEARCH_LIMIT_MAX,
  SEARCH_QUERY_MAX,
} from '../limits.ts'
import { StatusListSchema } from './inbox.ts'

/**
 * The filters of a search, all of which a hit must fit. Only messages and notes have an author, only messages a channel
 * and files, and only what belongs to a conversation has a status, a label, and a site.
 */
export const SearchFiltersSchema = Type.Object({
  /** Who wrote it: `visitor`, `me`, or a user ID. */
  from: Type.Optional(Type.String({ pattern: `^(?:visitor|me|${ID_PATTERN.slice(1, -1)})$` })),
  /** The earliest time, in ISO 8601; a day, which begins in UTC; or days back, such as `7d`. */
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** The time before which it was written, in the same forms. */
  before: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** A label, compared without case. */
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 2 * LABEL_MAX + 64 })),
  /** One or more statuses, separated by commas. Without it, everything but spam is searched. */
  status: Type.Optional(StatusListSchema),
  /** How the message came. */
  channel: Type.Optional(Type.Union([Type.Literal('chat'), Type.Literal('mail')])),
  /** A site's ID, or `own` for our own pages. */
  site: Type.Optional(Type.String({ pattern: `^(?:own|${CLIENT_ID_PATTERN.slice(1, -1)})$` })),
  has: Type.Optional(Type.Literal('file')),
})
export type SearchFilters = Static<typeof SearchFiltersSchema>
export const SEARCH_FILTERS = Object.keys(SearchFiltersSchema.properties) as (keyof SearchFilters)[]

/** A search. `q` is only text: words, and phrases in double quotes. It may be missing beside a filter. */
export const SearchQuerySchema = Type.Object({
  // The schema counts UTF-16 units, so it allows twice as many; the use case counts code points.
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 2 * SEARCH_QUERY_MAX })),
  ...SearchFiltersSchema.properties,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: SEARCH_LIMIT_MAX })),
  /** An opaque cursor: the previous answer's `next`. */
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
})
export type SearchQuery = Static<typeof SearchQuerySchema>

/** Parts of the found text, in order. `match` marks the words that were searched for. */
export const SearchSnippetSchema = Type.Array(Type.Object({ text: Type.String(), match: Type.Boolean() }))
export type SearchSnippet = Static<typeof SearchSnippetSchema>

export const SearchHitSchema = Type.Object({
  type: Type.Union([
    Type.Literal('message'),
    Type.Literal('note'),
    Type.Literal('visitor'),
    Type.Literal('contact'),
  ]),
  /** The conversation of a message, note, or visitor. */
  clientId: Type.Optional(Type.String()),
  contactId: Type.Optional(Type.String()),
  /** The name of the conversation's visitor, if they gave one. */
  name: Type.Optional(Type.String()),
  /** A message's number. */
  seq: Type.Optional(Type.Integer()),
  /** A note's number. */
  n: Type.Optional(Type.Integer()),
  /** The time in ISO 8601, UTC, with milliseconds. */
  at: Type.String(),
  /** The beginning of the text around the first match. Empty for a message that has only files. */
  snippet: SearchSnippetSchema,
})
export type SearchHit = Static<typeof SearchHitSchema>

/**
 * Hits, newest first. A page may have fewer hits than asked for, or none, while `next` leads further back. `indexing`
 * means that the index is being built, so that older hits may be missing.
 */
export const SearchPageSchema = Type.Object({
  hits: Type.Array(SearchHitSchema),
  next: Type.Union([Type.String(), Type.Null()]),
  indexing: Type.Optional(Type.Literal(true)),
})
export type SearchPage = Static<typeof SearchPageSchema>

/** A search that an admin keeps under a name. `query` has the parameters of `GET /search`, as in an address. */
export const SavedSearchSchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  query: Type.String(),
  /** How many results the search has, up to SAVED_SEARCH_COUNT_MAX. `more` means that there may be others. */
  count: Type.Integer(),
  more: Type.Boolean(),
})
export type SavedSearch = Static<typeof SavedSearchSchema>

/** An admin's saved searches in order of name. */
export const SavedSearchListSchema = Type.Object({ searches: Type.Array(SavedSearchSchema) })
export type SavedSearchList = Static<typeof SavedSearchListSchema>

/** The body of POST. The use case judges the texts. */
export const NewSavedSearchSchema = Type.Object({
  name: Type.String(),
  query: Type.String({ maxLength: SAVED_SEARCH_QUERY_MAX }),
})
export type NewSavedSearch = Static<typeof NewSavedSearchSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const SavedSearchIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

export const StoredSavedSearchSchema = Type.Object({ message: Type.String(), data: SavedSearchSchema })
export type StoredSavedSearch = Static<typeof StoredSavedSearchSchema>
