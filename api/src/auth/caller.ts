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

export interface AdminCaller {
  side: 'admin'
  userId: string
  userName: string
  sid: string
  connection?: string
}
