import type { Storage } from '../storage/model/storage.ts'

/** Adds what each visitor says their name is; null when unknown. */
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
