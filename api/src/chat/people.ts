import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import type { Message, People } from '@proctorpass/shared/schemas/chat'
import type { UserRecord } from '../storage/port/records.ts'
import type { UserRepository } from '../storage/port/storage.ts'

/** The admins who wrote these messages, as visitors see them; undefined when there are none. */
export async function peopleIn(
  messages: readonly Message[],
  { users, brand }: { users: Pick<UserRepository, 'findById'>; brand: string },
): Promise<People | undefined> {
  const writers = messages.filter(({ senderId, clientId }) => senderId !== clientId)
  const userIds = [...new Set(writers.map(({ senderId }) => senderId))]
  if (userIds.length === 0) return undefined
  const found = await Promise.all(userIds.map((userId) => users.findById(userId)))
  const nameOf = (user: UserRecord | null | undefined) => nameWithoutLink(user?.displayName) ?? brand
  return Object.fromEntries(userIds.map((userId, at) => [userId, { name: nameOf(found[at]) }]))
}
