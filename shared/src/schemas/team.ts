import Type, { type Static } from 'typebox'
import { PASSWORD_MAX } from '../limits.ts'

/** An admin, as the other admins see them. */
export const TeamAdminSchema = Type.Object({
  userId: Type.String(),
  userName: Type.String(),
  /** The name that visitors see; null for the brand. */
  displayName: Type.Union([Type.String(), Type.Null()]),
  /**
   * Whether the admin has the dashboard open: a socket on any node or, without sockets, a session that was used within
   * the last quarter of an hour.
   */
  online: Type.Boolean(),
  /** Whether the admin wants to be notified about messages. */
  onDuty: Type.Boolean(),
  /** Whether the admin may not sign in. */
  disabled: Type.Boolean(),
  /** Whether the admin has not used the invitation yet. */
  invited: Type.Boolean(),
  /** The URL of the admin's picture. Null without one. */
  face: Type.Union([Type.String(), Type.Null()]),
  /** Whether this is the caller. */
  you: Type.Boolean(),
})
export type TeamAdmin = Static<typeof TeamAdminSchema>

/** Admins in the order of their creation. */
export const TeamSchema = Type.Object({ admins: Type.Array(TeamAdminSchema) })
export type Team = Static<typeof TeamSchema>

/** A display name. The use case judges the fields, with a message beside each. */
const DisplayNameSchema = Type.Optional(Type.Union([Type.String(), Type.Null()]))

/** An invitation for an admin. With the user name of an admin who is already invited, it replaces the link. */
export const InviteAdminSchema = Type.Object({
  userName: Type.String(),
  displayName: DisplayNameSchema,
  /** The address to which the server mails the link. The server does not store it. */
  email: Type.Optional(Type.String()),
})
export type InviteAdmin = Static<typeof InviteAdminSchema>

/**
 * The invited admin. `invite` is the address of a page where the admin chooses a password. Only this answer and the mail
 * contain it. `mailed` is false if no address was given, or if the mail server did not take the mail.
 */
export const InvitedAdminSchema = Type.Object({
  admin: TeamAdminSchema,
  invite: Type.String(),
  mailed: Type.Boolean(),
})
export type InvitedAdmin = Static<typeof InvitedAdminSchema>

export const TeamAdminParamSchema = Type.Object({ userId: Type.String({ maxLength: 2_048 }) })

export const ChangeAdminSchema = Type.Object({
  displayName: DisplayNameSchema,
  disabled: Type.Optional(Type.Boolean()),
})
export type ChangeAdmin = Static<typeof ChangeAdminSchema>

export const ChangedAdminSchema = Type.Object({ admin: TeamAdminSchema })
export type ChangedAdmin = Static<typeof ChangedAdminSchema>

/** The part of an invitation's address after `#`. */
const Token = Type.String({ maxLength: 2_048 })

export const InviteTokenSchema = Type.Object({ token: Token })
export type InviteToken = Static<typeof InviteTokenSchema>

export const InvitedNameSchema = Type.Object({ userName: Type.String() })
export type InvitedName = Static<typeof InvitedNameSchema>

export const AcceptInviteSchema = Type.Object({
  token: Token,
  password: Type.String({ maxLength: 2 * PASSWORD_MAX }),
})
export type AcceptInvite = Static<typeof AcceptInviteSchema>
