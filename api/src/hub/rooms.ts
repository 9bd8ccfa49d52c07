/** Room names are made only here. */

import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/** All visitor sockets of a conversation, with any key or none. */
export function conversationRoom(clientId: string): string {
  return `conversation:${clientId}`
}

/** The visitor sockets of a conversation that connected with this key. */
function keyRoom(clientId: string, keyHash: string): string {
  return `conversation:${clientId}:${keyHash}`
}

/** The rooms that a visitor's socket joins. */
export function visitorRooms({ clientId, keyHash }: { clientId: string; keyHash: string | null }): string[] {
  const all = conversationRoom(clientId)
  return keyHash === null ? [all] : [all, keyRoom(clientId, keyHash)]
}

/** The rooms that receive a conversation's facts: those of its keys, or all visitor sockets while it has no key. */
export function audienceRooms(clientId: string, keyHashes: KeyHashes): string[] {
  if (keyHashes.length === 0) return [conversationRoom(clientId)]
  return keyHashes.map((keyHash) => keyRoom(clientId, keyHash))
}

/** The admin sockets of one session. */
export function sessionRoom(sid: string): string {
  return `session:${sid}`
}

/** The sockets of one admin. */
export function userRoom(userId: string): string {
  return `user:${userId}`
}
