import Type, { type Static } from 'typebox'
import { SEARCH_LIMIT_MAX, SEARCH_QUERY_MAX } from '../limits.ts'
import { StatusListSchema } from './inbox.ts'

/** A search. `q` is only text: words, and phrases in double quotes. */
export const SearchQuerySchema = Type.Object({
  // The schema counts UTF-16 units, so it allows twice as many; the use case counts code points.
  q: Type.String({ minLength: 1, maxLength: 2 * SEARCH_QUERY_MAX }),
  /** Only conversations with these statuses. Without it, everything but spam is searched. */
  status: Type.Optional(StatusListSchema),
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
