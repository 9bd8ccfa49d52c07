/** Room names are made only here. */

import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/** Returns the room for all of a conversation's visitor sockets, with any key or none. */
export function conversationRoom(clientId: string): string {
  return `conversation:${clientId}`
}

/** Returns the room for a conversation's visitor sockets that connected with this key. */
function keyRoom(clientId: string, keyHash: string): string {
  return `conversation:${clientId}:${keyHash}`
}

/** Returns the rooms that a visitor's socket joins. */
export function visitorRooms({ clientId, keyHash }: { clientId: string; keyHash: string | null }): string[] {
  const all = conversationRoom(clientId)
  return keyHash === null ? [all] : [all, keyRoom(clientId, keyHash)]
}

/**
 * Returns the rooms that receive a conversation's facts: its keys' rooms, or all its visitor sockets while it has no
 * key.
 */
export function audienceRooms(clientId: string, keyHashes: KeyHashes): string[] {
  if (keyHashes.length === 0) return [conversationRoom(clientId)]
  return keyHashes.map((keyHash) => keyRoom(clientId, keyHash))
}

/** Returns the room for one session's admin sockets. */
export function sessionRoom(sid: string): string {
  return `session:${sid}`
}

/** Returns the room for one admin's sockets. */
export function userRoom(userId: string): string {
  return `user:${userId}`
}
