import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import type { Message, People } from '@proctorpass/shared/schemas/chat'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { Caller } from '../auth/caller.ts'
import type { Storage } from '../storage/model/storage.ts'

interface PeopleDeps {
  storage: Pick<Storage, 'users' | 'apiKeys'>
  brand: string
  /** The side that reads the names: visitors see an API key as the brand. */
  side: Caller['side']
}

/**
 * Returns the admins and API keys that wrote these messages; undefined if there are none. Admins have the names that
 * visitors see.
 */
export async function peopleIn(messages: readonly Message[], deps: PeopleDeps): Promise<People | undefined> {
  const writers = messages.filter(({ senderId, clientId }) => senderId !== clientId)
  return namesOf(
    writers.map(({ senderId }) => senderId),
    deps,
  )
}

/** Returns the API keys among these authors, as admins see them; undefined if there are none. */
export function keysIn(
  authors: readonly (string | null)[],
  storage: PeopleDeps['storage'],
): Promise<People | undefined> {
  const keys = authors.filter((author) => author !== null).filter((author) => keyIdOf(author) !== null)
  return namesOf(keys, { storage, brand: '', side: 'admin' })
}

async function namesOf(authors: readonly string[], deps: PeopleDeps): Promise<People | undefined> {
  const ids = [...new Set(authors)]
  if (ids.length === 0) return undefined
  const names = await Promise.all(ids.map((author) => nameOf(author, deps)))
  return Object.fromEntries(ids.map((author, at) => [author, { name: names[at] as string }]))
}

async function nameOf(author: string, { storage, brand, side }: PeopleDeps): Promise<string> {
  const keyId = keyIdOf(author)
  if (keyId === null) return nameWithoutLink((await storage.users.findById(author))?.displayName) ?? brand
  return (side === 'admin' ? await storage.apiKeys.nameOf(keyId) : null) ?? brand
}
