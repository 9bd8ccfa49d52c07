import Type, { type Static } from 'typebox'
import { ID_PATTERN, PASSWORD_MAX, USER_NAME_MAX } from '../limits.ts'

export const LoginSchema = Type.Object({
  userName: Type.String({ minLength: 1, maxLength: USER_NAME_MAX }),
  /** The password as typed. The server applies NFKC before it hashes. */
  password: Type.String({ minLength: 1, maxLength: PASSWORD_MAX }),
})
export type Login = Static<typeof LoginSchema>

/** The answer to a login or a refresh. The access token is a JWT valid for 15 minutes; browsers hold it in memory. */
export const SignedInSchema = Type.Object({
  accessToken: Type.String(),
  roles: Type.Array(Type.String()),
  user_Id: Type.String(),
  userName: Type.String(),
})
export type SignedIn = Static<typeof SignedInSchema>

export const UserIdParamSchema = Type.Object({ userId: Type.String({ pattern: ID_PATTERN }) })

export const ADMIN_ROLE = 'Admin'
