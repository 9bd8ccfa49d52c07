import type { Stores } from '../storage.ts'
import { openSessions, openUsers } from './accounts.ts'
import { openAnswers } from './answers.ts'
import { openAttachments } from './attachments.ts'
import { openBlogs } from './blogs.ts'
import { connectMongo } from './connection.ts'
import { openContacts } from './contacts.ts'
import { openContentRevision } from './content-revision.ts'
import { openConversations } from './conversations.ts'
import { takeOver } from './copy.ts'
import { collectionsOf } from './documents.ts'
import { openJobs } from './jobs.ts'
import { openLinks } from './links.ts'
import { repairTimes } from './repair-times.ts'
import { openReplies } from './replies.ts'
import { openReviews } from './reviews.ts'
import { openSamples } from './samples.ts'
import { prepareSchema } from './schema.ts'
import { openSearch } from './search.ts'
import { openDocuments } from './stored-documents.ts'
import { openSubscriptions } from './subscriptions.ts'
import { OF_MESSAGES, openUploadFiles } from './uploads.ts'

const SWEEP_EVERY_MS = 60 * 60 * 1_000
const REPAIR_WITHIN_MS = 60 * 60 * 1_000

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
  const { settled, guard } = connection
  const collections = collectionsOf(connection.db)
  const { messages, conversations, visitors, inbox, sweep } = openConversations(collections, settled)

  // In the background: the next sweep covers a failed one.
  const sweepNow = () => void sweep().catch(() => {})
  sweepNow()
  const sweepTimer = setInterval(sweepNow, SWEEP_EVERY_MS).unref()

  return {
    storage: {
      messages: guard(messages),
      attachments: guard(openAttachments(collections, settled)),
      conversations: guard(conversations),
      visitors: guard(visitors),
      inbox: guard(inbox),
      users: guard(openUsers(collections, settled)),
      sessions: guard(openSessions(collections, settled)),
      blogs: guard(openBlogs(collections, settled)),
      reviews: guard(openReviews(collections, settled)),
      contacts: guard(openContacts(collections, settled)),
      replies: guard(openReplies(collections, settled)),
      documents: guard(openDocuments(collections, settled)),
      jobs: guard(openJobs(collections, settled)),
      answers: guard(openAnswers(collections, settled)),
      links: guard(openLinks(collections, settled)),
      subscriptions: guard(openSubscriptions(collections, settled)),
      samples: guard(openSamples(collections, settled)),
      search: guard(openSearch(collections, settled, inbox)),
      contentRevision: guard(openContentRevision(collections.meta)),
      // By hand, while no server uses the store.
      ...guard({ repairTimes: (now: number) => repairTimes(collections, now, sweep) }, REPAIR_WITHIN_MS),
      async ping() {
        // Reads data: a mongos answers `ping` itself, also while its shards are down.
        await collections.meta.findOne({ _id: 'schema' }, { ...settled, projection: { _id: 1 } })
      },
      async close() {
        clearInterval(sweepTimer)
        await connection.close()
      },
    },
    uploadFiles: guard(openUploadFiles(connection, uploadsMaxBytes)),
    attachmentFiles: guard(openUploadFiles(connection, uploadsMaxBytes, OF_MESSAGES)),
  }
}
