import Type, { type Static } from 'typebox'

export const KEY_SCOPES = ['read', 'write', 'content'] as const
export const KeyScopeSchema = Type.Union([
  Type.Literal('read'),
  Type.Literal('write'),
  Type.Literal('content'),
])
/** What an API key may do. `write` includes `read`. */
export type KeyScope = (typeof KEY_SCOPES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** An API key without its secret part. */
export const ApiKeySchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  /** The key's first characters, by which a person recognizes it. */
  prefix: Type.String(),
  scopes: Type.Array(KeyScopeSchema),
  /** The time in ISO 8601. */
  createdAt: Type.String(),
  /** The time in ISO 8601. Null if the key does not expire. */
  expiresAt: TextOrNull,
  /** The time in ISO 8601, to the minute. Null if the key was never used. */
  lastUsedAt: TextOrNull,
  /** The user ID of the admin who created the key. */
  createdBy: Type.String(),
})
export type ApiKey = Static<typeof ApiKeySchema>

/** The keys that are not deleted, newest first. */
export const ApiKeyListSchema = Type.Object({ keys: Type.Array(ApiKeySchema), count: Type.Integer() })
export type ApiKeyList = Static<typeof ApiKeyListSchema>

/** The body of POST. The use case judges the name and the time, with a message beside each field. */
export const NewApiKeySchema = Type.Object({
  name: Type.String(),
  scopes: Type.Array(KeyScopeSchema, { minItems: 1, maxItems: KEY_SCOPES.length }),
  expiresAt: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
})
export type NewApiKey = Static<typeof NewApiKeySchema>

/** A new key. `key` is the key itself, which only this answer contains. */
export const CreatedApiKeySchema = Type.Object({ key: Type.String(), data: ApiKeySchema })
export type CreatedApiKey = Static<typeof CreatedApiKeySchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const ApiKeyIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

const AUTHOR = 'key:'

/** Returns the author ID under which a key's messages, notes, and changes are stored. */
export function keyAuthor(keyId: string): string {
  return AUTHOR + keyId
}

/** Returns the key's ID. Null if the author is not a key. */
export function keyIdOf(author: string): string | null {
  return author.startsWith(AUTHOR) ? author.slice(AUTHOR.length) : null
}
