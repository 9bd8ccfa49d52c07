import type { Collection, Document } from 'mongodb'
import { FOREVER } from '../model/conversation/blocks-and-ratings.ts'
import { isCounted, latestEnds, PAST_TIMES } from '../model/repaired-times.ts'
import type { Collections } from './collections.ts'
import { clearReports } from './reports.ts'
import { clearSearch } from './search.ts'

/** Explains these collection scans, which no index serves, in the database server's log. */
const COMMENT = { comment: 'repair-times' }

const FURTHER_TIMES = {
  messages: ['waitingSince'],
  attachments: ['unsentAt'],
  conversations: ['lastMessage.createdAt', 'lastMessage.waitingSince', 'visitor.lastSeenAt'],
}

/**
 * Sets times after `now` to `now`, field by field. After an interruption, the operator runs it again. `sweep` moves the
 * log entries that are still in their conversation.
 */
export async function repairTimes(
  collections: Collections,
  now: number,
  sweep: () => Promise<unknown>,
): Promise<number> {
  await sweep()
  const { blogs, conversations, sessions } = collections
  async function repaired(name: keyof Collections, field: string, latest = now): Promise<number> {
    const documents = collections[name] as unknown as Collection<Document>
    const filter = { [field]: { $gt: latest } }
    return (await documents.updateMany(filter, { $set: { [field]: latest } }, COMMENT)).modifiedCount
  }
  let rows = (await sessions.deleteMany({ createdAt: { $gt: now } }, COMMENT)).deletedCount
  // A post that was published by then was changed then or later. A scheduled post's time stays.
  for await (const { _id, publishAt, updatedAt } of blogs.find({ publishAt: { $gt: now } }, COMMENT)) {
    if (publishAt <= updatedAt)
      await blogs.updateOne({ _id, publishAt }, { $set: { publishAt: now } }, COMMENT)
  }
  for (const times of [PAST_TIMES, FURTHER_TIMES]) {
    for (const [name, fields] of Object.entries(times)) {
      for (const field of fields) {
        const changed = await repaired(name as keyof typeof times, field)
        if (isCounted(name, field)) rows += changed
      }
    }
  }
  const { blockedUntil, inviteExpiresAt, previewExpiresAt } = latestEnds(now)
  // A permanent block stays permanent.
  await conversations.updateMany(
    { blockedUntil: { $gt: blockedUntil, $lt: FOREVER } },
    { $set: { blockedUntil } },
    COMMENT,
  )
  await repaired('users', 'inviteExpiresAt', inviteExpiresAt)
  await repaired('previewLinks', 'expiresAt', previewExpiresAt)
  // The search index is in the order of times, so a server has to build it again.
  await clearSearch(collections, COMMENT)
  await clearReports(collections, COMMENT)
  return rows
}
