import type { Stores } from '../open-storage.ts'
import { connectMongo, guarded } from './connection.ts'
import { openConversations } from './conversations.ts'
import { collectionsOf } from './documents.ts'
import { prepareSchema } from './schema.ts'

const SWEEP_EVERY_MS = 60 * 60 * 1_000

/**
 * Opens the store, making what it lacks. Several processes may have the same one open.
 * @throws AppError `unavailable` when no server answers; Error when the store is of a newer release
 */
export async function openMongo(url: string): Promise<Stores> {
  const connection = await connectMongo(url)
  try {
    await prepareSchema(connection.db)
  } catch (error) {
    await connection.close()
    throw error
  }
  const collections = collectionsOf(connection.db)
  const { messages, conversations, sweep } = openConversations(collections, connection.settled)

  // In the background, and what fails is done by the next one: nothing that is shown waits for it.
  const sweepAway = () => void sweep().catch(() => {})
  sweepAway()
  const sweeping = setInterval(sweepAway, SWEEP_EVERY_MS).unref()

  return {
    storage: {
      messages: guarded(messages),
      conversations: guarded(conversations),
      async ping() {
        await connection.db.command({ ping: 1 })
      },
      async close() {
        clearInterval(sweeping)
        await connection.close()
      },
    } as never,
    uploadFiles: undefined as never,
  }
}
