import Type, { type Static } from 'typebox'
import { PASSWORD_MAX } from '../limits.ts'

/** A password change. The use case judges the new password, with a message beside its field. */
export const PasswordChangeSchema = Type.Object({
  oldPassword: Type.String({ maxLength: PASSWORD_MAX }),
  newPassword: Type.String({ maxLength: 2 * PASSWORD_MAX }),
})
export type PasswordChange = Static<typeof PasswordChangeSchema>

export const SessionSchema = Type.Object({
  id: Type.String(),
  /** The device at the last use, such as "Chrome on Android"; null if unknown. */
  device: Type.Union([Type.String(), Type.Null()]),
  /** The network at the last use, as a /24 or /48, never the whole address; null if unknown. */
  network: Type.Union([Type.String(), Type.Null()]),
  /** The time of the sign-in, in ISO 8601, UTC, with milliseconds. */
  since: Type.String(),
  /** When the page last asked for a new access token, rounded to a quarter of an hour. */
  lastUsedAt: Type.String(),
  expiresAt: Type.String(),
  /** Whether this is the request's session. */
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
  /** The name that visitors see; null for the brand. */
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** Whether the admin wants to be notified about messages. */
  onDuty: Type.Boolean(),
  /** The address for notification mails. Null means the support address. */
  email: Type.Union([Type.String(), Type.Null()]),
  /** Whether the week's figures are mailed on Mondays. */
  weeklyMail: Type.Boolean(),
  /** The IANA time zone in which the weekly mail is due. Null means the opening hours' zone or, without hours, UTC. */
  timeZone: Type.Union([Type.String(), Type.Null()]),
  /** The URL of the admin's picture. Null without one. */
  face: Type.Union([Type.String(), Type.Null()]),
})
export type Account = Static<typeof AccountSchema>

/** The answer to PUT and DELETE /account/face. */
export const FaceSchema = Type.Object({ face: AccountSchema.properties.face })
export type Face = Static<typeof FaceSchema>

/** A change to the account. Missing fields stay as they are; null removes a value. */
export const AccountChangeSchema = Type.Object({
  displayName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  onDuty: Type.Optional(Type.Boolean()),
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** It can be true only with an email, and removing the email turns it off. */
  weeklyMail: Type.Optional(Type.Boolean()),
  timeZone: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
export type AccountChange = Static<typeof AccountChangeSchema>
