import { IMPORT_NAME_MAX } from '@proctorpass/shared/import-author'
import { CLIENT_ID_PATTERN, ID_PATTERN } from '@proctorpass/shared/limits'
import Type, { type TSchema } from 'typebox'

/** The latest time that a Date can hold, in milliseconds. */
export const TIME_MAX = 8.64e15

export const Id = Type.String({ pattern: ID_PATTERN })

export const ClientId = Type.String({ pattern: CLIENT_ID_PATTERN })

export const Token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })

/**
 * The author of a message, a file, or an entry: a user ID, a clientId, `key:` and an API key's ID, or `import:` and a
 * name.
 */
export const Author = Type.String({
  pattern: `^(?:(?:key:)?[A-Za-z0-9_-]{1,128}|import:[^\\u0000-\\u001f]{1,${2 * IMPORT_NAME_MAX}})$`,
})

/** A SHA-256 hash in base64url. */
export const Hash = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

export const Time = Type.Integer({ minimum: 0, maximum: TIME_MAX })

export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const Positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A date, as `YYYY-MM-DD`. */
export const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })

export const TimeOrNull = Type.Union([Time, Type.Null()])

/** Returns a text's schema. `max` counts code points, and a code point takes up to two units of a string. */
export const text = (max: number, minLength = 0) => Type.String({ minLength, maxLength: 2 * max })

export const OrNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

export const strict = (fields: Record<string, TSchema>) =>
  Type.Object(fields, { additionalProperties: false })
