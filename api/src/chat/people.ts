import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import { importNameOf } from '@proctorpass/shared/import-author'
import type { Message, People } from '@proctorpass/shared/schemas/chat'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { Caller } from '../auth/caller.ts'
import type { Sites } from '../sites/sites.ts'
import type { Storage } from '../storage/model/storage.ts'

interface PeopleDeps {
  storage: Pick<Storage, 'users' | 'apiKeys'>
  /** The name for an API key, which only admins see by its own name, and for admins without a display name. */
  business: string
  /** The side that reads the names. */
  side: Caller['side']
  /** Whether admins' pictures are told, too. */
  faces?: boolean
}

/** Returns the name by which a conversation's visitor knows the business: their site's name for visitors, or the brand. */
export async function businessName(
  site: ConversationSite | null,
  { findSite, brand }: { findSite: Sites['find']; brand: string },
): Promise<string> {
  return (site && (await findSite(site._id))?.displayName) || brand
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

/** Returns the authors who are no admins: API keys and imported writers, as admins see them; undefined if there are none. */
export function othersIn(
  authors: readonly (string | null)[],
  storage: PeopleDeps['storage'],
): Promise<People | undefined> {
  const others = authors
    .filter((author) => author !== null)
    .filter((author) => keyIdOf(author) !== null || importNameOf(author) !== null)
  return namesOf(others, { storage, business: '', side: 'admin' })
}

async function namesOf(authors: readonly string[], deps: PeopleDeps): Promise<People | undefined> {
  const ids = [...new Set(authors)]
  if (ids.length === 0) return undefined
  const people = await Promise.all(ids.map(async (author) => [author, await personOf(author, deps)] as const))
  return Object.fromEntries(people)
}

async function personOf(
  author: string,
  { storage, business, side, faces = false }: PeopleDeps,
): Promise<People[string]> {
  const imported = importNameOf(author)
  if (imported !== null) {
    return { name: (side === 'admin' ? imported : nameWithoutLink(imported)) ?? business }
  }
  const keyId = keyIdOf(author)
  if (keyId === null) {
    const user = await storage.users.findById(author)
    const name = nameWithoutLink(user?.displayName) ?? business
    return faces ? { name, face: user?.face ?? null } : { name }
  }
  return { name: (side === 'admin' ? await storage.apiKeys.nameOf(keyId) : null) ?? business }
}
