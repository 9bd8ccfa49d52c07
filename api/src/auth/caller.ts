import { AppError } from '@proctorpass/shared/errors'

/** The identity that the server derived for a request or a socket. It is never taken from a payload. */
export type Caller = VisitorCaller | AdminCaller

export interface VisitorCaller {
  side: 'visitor'
  /** The ID of the visitor's conversation. */
  clientId: string
  /**
   * The hash of the visitor's key; null without one. It opens the conversation if it is one of the conversation's keys.
   */
  keyHash: string | null
  address: string
  /** The socket that sent the command. It gets the acknowledgement instead of the fact. */
  connection?: string
}

/**
 * A signed-in admin, or a program with an API key. For a program, `userId` is the result of `keyAuthor`, and `userName`
 * is the key's name.
 */
export interface AdminCaller {
  side: 'admin'
  userId: string
  userName: string
  /** The session's ID; empty for an API key. */
  sid: string
  address: string
  connection?: string
  /**
   * Whether the session was confirmed in the last 15 minutes. Missing for API keys and sockets, which count as not
   * confirmed.
   */
  isConfirmed?: boolean
}

export function confirmRequired(): AppError {
  return new AppError('confirm-required', "Confirm that it's you, then try again.")
}
