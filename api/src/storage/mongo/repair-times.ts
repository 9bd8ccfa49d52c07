import { BLOCK_HOURS_MAX, INVITE_HOURS } from '@proctorpass/shared/limits'
import type { Collection, Document } from 'mongodb'
import { FOREVER } from '../rules/blocks-and-ratings.ts'
import type { Collections } from './documents.ts'
import { clearReports } from './reports.ts'
import { clearSearch } from './search.ts'

/** Explains these collection scans in the server's log: no index serves them. */
const COMMENT = { comment: 'repair-times' }

/**
 * Sets times after `now` to `now`, field by field. After an interruption it is run again. `sweep` moves entries of the
 * log that are still in their conversation.
 */
export async function repairTimes(
  collections: Collections,
  now: number,
  sweep: () => Promise<unknown>,
): Promise<number> {
  await sweep()
  const { conversations, messages, attachments, users, activity, sessions, blogs, reviews, contacts } =
    collections
  async function repaired<T extends Document>(
    collection: Collection<T>,
    field: string,
    latest = now,
  ): Promise<number> {
    const documents = collection as unknown as Collection<Document>
    const { modifiedCount } = await documents.updateMany(
      { [field]: { $gt: latest } },
      { $set: { [field]: latest } },
      COMMENT,
    )
    return modifiedCount
  }
  let rows = (await sessions.deleteMany({ createdAt: { $gt: now } }, COMMENT)).deletedCount
  for (const field of ['usedAt', 'confirmedAt']) await repaired(sessions, field)
  rows += await repaired(messages, 'createdAt')
  await repaired(messages, 'waitingSince')
  await repaired(attachments, 'createdAt')
  await repaired(attachments, 'unsentAt')
  await repaired(activity, 'at')
  await repaired(collections.answers, 'at')
  for (const field of [
    'lastAt',
    'waitingSince',
    'lastMessage.createdAt',
    'lastMessage.waitingSince',
    'visitor.lastSeenAt',
  ]) {
    await repaired(conversations, field)
  }
  // A block for good stays one.
  const blockedMax = now + BLOCK_HOURS_MAX * 3_600_000
  await conversations.updateMany(
    { blockedUntil: { $gt: blockedMax, $lt: FOREVER } },
    { $set: { blockedUntil: blockedMax } },
    COMMENT,
  )
  rows += await repaired(blogs, 'createdAt')
  await repaired(blogs, 'updatedAt')
  rows += await repaired(reviews, 'createdAt')
  rows += await repaired(contacts, 'createdAt')
  await repaired(users, 'inviteExpiresAt', now + INVITE_HOURS * 3_600_000)
  // In order of time: a server builds it again.
  await clearSearch(collections, COMMENT)
  await clearReports(collections, COMMENT)
  return rows
}
