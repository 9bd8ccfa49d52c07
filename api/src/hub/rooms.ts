/** The only place where room names are made. */

import type { KeyHashes } from '../storage/visitor-keys.ts'

/** Every socket of a visitor's conversation, in the visitors' namespace, whatever key it came with. */
export function conversationRoom(clientId: string): string {
  return `conversation:${clientId}`
}

/** The sockets of a visitor's conversation that came with this key. */
function keyRoom(clientId: string, keyHash: string): string {
  return `conversation:${clientId}:${keyHash}`
}

/** What a visitor's socket joins. */
export function visitorRooms({ clientId, keyHash }: { clientId: string; keyHash: string | null }): string[] {
  const all = conversationRoom(clientId)
  return keyHash === null ? [all] : [all, keyRoom(clientId, keyHash)]
}

/** Where a conversation's facts go: to those who came with one of its keys, or to all while it has none. */
export function audienceRooms(clientId: string, keyHashes: KeyHashes): string[] {
  if (keyHashes.length === 0) return [conversationRoom(clientId)]
  return keyHashes.map((keyHash) => keyRoom(clientId, keyHash))
}

/** Every socket of one sign-in, in the admins' namespace. */
export function sessionRoom(sid: string): string {
  return `session:${sid}`
}
