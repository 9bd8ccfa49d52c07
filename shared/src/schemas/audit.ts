import Type, { type Static } from 'typebox'
import { AUDIT_ACTIONS } from '../audit.ts'
import { AUDIT_PAGE_MAX } from '../limits.ts'

const ISO_TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z$'
const filters = {
  /** Times in ISO 8601, UTC. Both ends are included. */
  from: Type.Optional(Type.String({ pattern: ISO_TIME })),
  to: Type.Optional(Type.String({ pattern: ISO_TIME })),
  /** A user ID, or `key:ID`. */
  by: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  action: Type.Optional(Type.Union(AUDIT_ACTIONS.map((action) => Type.Literal(action)))),
}

export const AuditFilterSchema = Type.Object(filters)
export type AuditFilter = Static<typeof AuditFilterSchema>

export const AuditQuerySchema = Type.Object({
  ...filters,
  /** The previous answer's `next`. */
  cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,16}$' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: AUDIT_PAGE_MAX })),
})
export type AuditQuery = Static<typeof AuditQuerySchema>

/**
 * An entry. `hash` is the SHA-256 over the previous entry's hash, a line feed, and the JSON of n, at, by, action,
 * target, details, and address.
 */
export const AuditEntrySchema = Type.Object({
  n: Type.Integer(),
  at: Type.String(),
  /** A user ID, `key:ID`, or null for a visitor, the server, or its operator. */
  by: Type.Union([Type.String(), Type.Null()]),
  action: Type.String(),
  target: Type.Union([Type.String(), Type.Null()]),
  details: Type.Record(Type.String(), Type.Unknown()),
  /** The network of the request's address. */
  address: Type.Union([Type.String(), Type.Null()]),
  hash: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntrySchema>

/** Entries, newest first. `next` is null on the last page. */
export const AuditPageSchema = Type.Object({
  entries: Type.Array(AuditEntrySchema),
  next: Type.Union([Type.String(), Type.Null()]),
})
export type AuditPage = Static<typeof AuditPageSchema>
