/** Who asks, as the server knows it. Nothing of it is ever taken from a payload. */
export type Caller = VisitorCaller | AdminCaller

export interface VisitorCaller {
  side: 'visitor'
  /** Names their conversation. */
  clientId: string
  /** Of the key that they showed; null for none. Opens the conversation if it is one of its keys. */
  keyHash: string | null
  address: string
  /** The socket that asks: it gets the answer and needs no fact. */
  connection?: string
}

export interface AdminCaller {
  side: 'admin'
  userId: string
  userName: string
  sid: string
  connection?: string
}
