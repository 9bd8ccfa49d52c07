import Type, { type Static } from 'typebox'

/** An admin, as the other admins see them. */
export const TeamAdminSchema = Type.Object({
  userId: Type.String(),
  userName: Type.String(),
  /** What visitors see; null for the name of the site. */
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** Has the dashboard open: a socket on any node. Without sockets: used a session within the last quarter of an hour. */
  online: Type.Boolean(),
  /** Wants to be notified of messages. */
  onDuty: Type.Boolean(),
  /** May not sign in. */
  disabled: Type.Boolean(),
  /** Has not used the invitation yet. */
  invited: Type.Boolean(),
  /** Whether it is the caller. */
  you: Type.Boolean(),
})
export type TeamAdmin = Static<typeof TeamAdminSchema>

/** In order of creation. */
export const TeamSchema = Type.Object({ admins: Type.Array(TeamAdminSchema) })
export type Team = Static<typeof TeamSchema>
