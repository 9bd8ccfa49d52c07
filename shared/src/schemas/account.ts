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
  /** The time of the sign-in; ISO 8601, UTC, milliseconds. */
  createdAt: Type.String(),
  expiresAt: Type.String(),
  /** Whether it is the session of the request. */
  current: Type.Boolean(),
})
export type Session = Static<typeof SessionSchema>

/** The caller's sessions that have not ended, newest first. */
export const SessionListSchema = Type.Object({ sessions: Type.Array(SessionSchema) })
export type SessionList = Static<typeof SessionListSchema>

export const SessionIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
