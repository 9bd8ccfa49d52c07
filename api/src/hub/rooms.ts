/** The only place where room names are made. */

/** Every socket of a visitor's conversation, in the visitors' namespace. */
export function conversationRoom(clientId: string): string {
  return `conversation:${clientId}`
}

/** Every socket of one sign-in, in the admins' namespace. */
export function sessionRoom(sid: string): string {
  return `session:${sid}`
}
