import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import type { Message, People } from '@proctorpass/shared/schemas/chat'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { Caller } from '../auth/caller.ts'
import type { Storage } from '../storage/model/storage.ts'

interface PeopleDeps {
  storage: Pick<Storage, 'users' | 'apiKeys'>
  brand: string
  /** Who reads the names: a key is the brand to visitors. */
  side: Caller['side']
}

/** The admins and keys who wrote these messages; undefined when there are none. Admins are named as visitors see them. */
export async function peopleIn(messages: readonly Message[], deps: PeopleDeps): Promise<People | undefined> {
  const writers = messages.filter(({ senderId, clientId }) => senderId !== clientId)
  return namesOf(
    writers.map(({ senderId }) => senderId),
    deps,
  )
}

/** The keys among these authors, for admins; undefined when there are none. */
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
