import type { Storage } from '../storage/model/storage.ts'

/** Adds each visitor's name as they gave it; null if unknown. */
export async function withNames<T extends { clientId: string }>(
  { visitors }: Pick<Storage, 'visitors'>,
  conversations: readonly T[],
): Promise<(T & { name: string | null })[]> {
  const names = await visitors.names(conversations.map(({ clientId }) => clientId))
  return conversations.map((conversation) => ({
    ...conversation,
    name: names.get(conversation.clientId) ?? null,
  }))
}
