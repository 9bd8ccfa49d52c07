import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { Writer } from '@proctorpass/shared/schemas/text'
import type { Storage } from '../storage/model/storage.ts'

/** Returns the admins and API keys behind these author IDs, in their order, as admins see them. */
export async function writersOf(
  authors: readonly (string | null)[],
  storage: Pick<Storage, 'users' | 'apiKeys'>,
): Promise<Writer[]> {
  const ids = [...new Set(authors.filter((author) => author !== null))]
  const names = await Promise.all(ids.map((id) => nameOf(id, storage)))
  return authors.map((id) => (id === null ? null : { id, name: names[ids.indexOf(id)] ?? id }))
}

async function nameOf(id: string, { users, apiKeys }: Pick<Storage, 'users' | 'apiKeys'>): Promise<string> {
  const keyId = keyIdOf(id)
  if (keyId !== null) return (await apiKeys.nameOf(keyId)) ?? id
  const user = await users.findById(id)
  return user?.displayName ?? user?.userName ?? id
}
