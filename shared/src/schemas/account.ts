import Type, { type Static } from 'typebox'
import { PASSWORD_MAX } from '../limits.ts'

/** The use case judges the new password, with a message beside its field. */
export const PasswordChangeSchema = Type.Object({
  oldPassword: Type.String({ maxLength: PASSWORD_MAX }),
  newPassword: Type.String({ maxLength: 2 * PASSWORD_MAX }),
})
export type PasswordChange = Static<typeof PasswordChangeSchema>

export const SessionSchema = Type.Object({
  id: Type.String(),
  /** "Chrome on Android", of the last use; null when unknown. */
  device: Type.Union([Type.String(), Type.Null()]),
  /** The network of the last use, /24 or /48, never the whole address; null when unknown. */
  network: Type.Union([Type.String(), Type.Null()]),
  /** The time of the sign-in; ISO 8601, UTC, milliseconds. */
  since: Type.String(),
  /** When the page last asked for a new access token, rounded to a quarter of an hour. */
  lastUsedAt: Type.String(),
  expiresAt: Type.String(),
  /** Whether it is the session of the request. */
  current: Type.Boolean(),
})
export type Session = Static<typeof SessionSchema>

/** The caller's sessions that have not ended, newest first. */
export const SessionListSchema = Type.Object({ sessions: Type.Array(SessionSchema) })
export type SessionList = Static<typeof SessionListSchema>

export const SessionIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** The caller's own account. */
export const AccountSchema = Type.Object({
  userId: Type.String(),
  userName: Type.String(),
  /** What visitors see; null for the name of the site. */
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** Wants to be notified of messages. */
  onDuty: Type.Boolean(),
  /** The address for notification mails. Null means the support address. */
  email: Type.Union([Type.String(), Type.Null()]),
})
export type Account = Static<typeof AccountSchema>

/** Missing fields stay as they are; null removes. */
export const AccountChangeSchema = Type.Object({
  displayName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  onDuty: Type.Optional(Type.Boolean()),
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
export type AccountChange = Static<typeof AccountChangeSchema>
