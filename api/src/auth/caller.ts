import { AppError } from '@proctorpass/shared/errors'

/** The identity that the server derived for a request or a socket. Never taken from a payload. */
export type Caller = VisitorCaller | AdminCaller

export interface VisitorCaller {
  side: 'visitor'
  /** The id of their conversation. */
  clientId: string
  /** Hash of their visitor key; null for none. Opens the conversation when it is one of its keys. */
  keyHash: string | null
  address: string
  /** The socket of the command: it gets the acknowledgement instead of the fact. */
  connection?: string
}

/** A signed-in admin, or a program with an API key: then `userId` is `keyAuthor`'s and `userName` the key's name. */
export interface AdminCaller {
  side: 'admin'
  userId: string
  userName: string
  /** The session; empty for a key. */
  sid: string
  address: string
  connection?: string
  /** Whether the session was confirmed in the last 15 minutes. Missing for keys and sockets, which count as not. */
  isConfirmed?: boolean
}

export function confirmRequired(): AppError {
  return new AppError('confirm-required', "Confirm that it's you, then try again.")
}
