import type { Stores } from '../storage.ts'
import { openSessions, openUsers } from './accounts.ts'
import { openBlogs } from './blogs.ts'
import { connectMongo, Gate, guarded } from './connection.ts'
import { openContacts } from './contacts.ts'
import { openContentRevision } from './content-revision.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { collectionsOf } from './documents.ts'
import { repairTimes } from './repair-times.ts'
import { openReviews } from './reviews.ts'
import { openSamples } from './samples.ts'
import { prepareSchema } from './schema.ts'
import { openUploadFiles } from './uploads.ts'

const SWEEP_EVERY_MS = 60 * 60 * 1_000

/**
 * Opens the store and creates missing indexes. Several processes can open the same store.
 * @throws AppError `unavailable` when no server answers; Error when the store is of a newer release or half filled
 */
export async function openMongo(url: string, uploadsMaxBytes?: number): Promise<Stores> {
  const connection = await connectMongo(url)
  try {
    await prepareSchema(connection.db)
    await takeOver(collectionsOf(connection.db).meta)
  } catch (error) {
    await connection.close()
    throw error
  }
  const { settled } = connection
  const collections = collectionsOf(connection.db)
  const { messages, conversations, sweep } = openConversations(collections, settled)

  // In the background: the next sweep covers a failed one.
  const sweepNow = () => void sweep().catch(() => {})
  sweepNow()
  const sweepTimer = setInterval(sweepNow, SWEEP_EVERY_MS).unref()

  const gate = new Gate()
  return {
    storage: {
      messages: guarded(messages, gate),
      conversations: guarded(conversations, gate),
      users: guarded(openUsers(collections, settled), gate),
      sessions: guarded(openSessions(collections, settled), gate),
      blogs: guarded(openBlogs(collections, settled), gate),
      reviews: guarded(openReviews(collections, settled), gate),
      contacts: guarded(openContacts(collections, settled), gate),
      samples: guarded(openSamples(collections, settled), gate),
      contentRevision: guarded(openContentRevision(collections.meta), gate),
      ...guarded({ repairTimes: (now: number) => repairTimes(collections, now) }, gate),
      async ping() {
        await connection.db.command({ ping: 1 })
      },
      async close() {
        clearInterval(sweepTimer)
        await gate.shut()
        await connection.close()
      },
    },
    uploadFiles: guarded(openUploadFiles(connection, uploadsMaxBytes), gate),
  }
}
