import { labelKey } from '@proctorpass/shared/label-key'
import { EXAM_SOON_MS } from '@proctorpass/shared/limits'
import type { Filter } from 'mongodb'
import { RATINGS_LISTED, ratingOf } from '../model/conversation/blocks-and-ratings.ts'
import { type ConversationWriter, openInboxChanges } from '../model/conversation/changes.ts'
import { openBySite, toMessage } from '../model/conversation/rows.ts'
import { dueMessages } from '../model/conversation/scheduled-records.ts'
import type { InboxRepository } from '../model/storage.ts'
import type { ActivityLog } from './activity-log.ts'
import { anyOf, type Collections, type ConversationDoc, inboxOf, NONE, OPEN } from './collections.ts'
import type { MongoConnection } from './connection.ts'

/** Opens the inbox: status, assignee, labels, notes, and their log, which the conversations' documents hold. */
export function openInbox(
  { conversations, messages }: Collections,
  majority: MongoConnection['majority'],
  writer: ConversationWriter,
  log: Pick<ActivityLog, 'page' | 'concerning' | 'newestOf'>,
): InboxRepository {
  const count = (filter: Filter<ConversationDoc>) => conversations.countDocuments(filter, majority)
  /** Counts from an index, without reading documents. */
  async function countBySite(): Promise<Record<string, number>> {
    const found = conversations.aggregate<{ _id: string; count: number }>(
      [
        { $match: { siteId: { $gt: '' }, status: OPEN, lastAt: { $gt: 0 } } },
        { $group: { _id: '$siteId', count: { $sum: 1 } } },
      ],
      majority,
    )
    return Object.fromEntries((await found.toArray()).map(({ _id, count }) => [_id, count]))
  }

  const countResolved = rememberLarge(() => count({ status: 'resolved' }))

  return {
    ...openInboxChanges(writer),

    async ratings(clientId) {
      const found = await conversations.findOne({ _id: clientId }, majority)
      return found === null ? [] : (await log.newestOf(found, ['rating'], RATINGS_LISTED)).map(ratingOf)
    },

    activity: log.page,
    concerning: log.concerning,

    async counts(userId, now) {
      const isSoon = { 'visitor.examAt': { $gte: now, $lte: now + EXAM_SOON_MS } }
      const [open, mine, unassigned, snoozed, examSoon, resolved, spam, sites] = await Promise.all([
        count({ status: OPEN, lastAt: { $gt: 0 } }),
        count({ assigneeId: userId, status: OPEN }),
        count({ assigneeId: NONE, status: OPEN, lastAt: { $gt: 0 } }),
        count({ status: 'snoozed' }),
        count({ ...isSoon, status: anyOf(['open', 'snoozed']) }),
        countResolved(),
        count({ status: 'spam' }),
        countBySite(),
      ])
      const all = open + snoozed + resolved
      const counts = { open, mine, unassigned, examSoon, snoozed, resolved, spam, all }
      return { ...counts, ...openBySite(open, sites) }
    },

    async now(limit) {
      const filter = { status: anyOf(['open', 'snoozed']), waitingSince: { $gt: 0 } }
      const options = { ...majority, projection: { _id: 0, clientId: 1, waitingSince: 1 } }
      const [open, waiting, found] = await Promise.all([
        count({ status: OPEN, lastAt: { $gt: 0 } }),
        count(filter),
        conversations.find(filter, options).sort({ waitingSince: 1, clientId: 1 }).limit(limit).toArray(),
      ])
      const longest = found.map(({ clientId, waitingSince }) => ({ clientId, since: waitingSince as number }))
      return { open, waiting, longest }
    },

    async labels(limit) {
      const written = new Map<string, string>()
      for (const label of (await conversations.distinct('labels', {}, majority)) as string[]) {
        const key = labelKey(label)
        if (!written.has(key)) written.set(key, label)
      }
      return [...written]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([, label]) => label)
    },

    async scheduled(clientId) {
      const found = await conversations.findOne({ _id: clientId }, majority)
      return found === null ? [] : [...(inboxOf(found).scheduled ?? [])]
    },

    async messageUnder(clientId, nonce) {
      const found = await conversations.findOne({ _id: clientId }, { ...majority, projection: { epoch: 1 } })
      const message =
        found && (await messages.findOne({ clientId, epoch: found.epoch, nonce }, { ...majority }))
      return message && toMessage(message)
    },

    async dueMessages(now, limit) {
      const due = conversations
        .find({ scheduledAt: { $gt: 0, $lte: now } }, majority)
        .sort({ scheduledAt: 1 })
        .limit(limit)
      return (await due.toArray()).map((found) => {
        const { status, scheduled } = inboxOf(found)
        return { clientId: found._id, status, due: dueMessages(scheduled, now) }
      })
    },

    async dueSnoozes(now, limit) {
      const due = await conversations
        .find({ snoozedUntil: { $gt: 0, $lte: now } }, { ...majority, projection: { _id: 1 } })
        .sort({ snoozedUntil: 1 })
        .limit(limit)
        .toArray()
      return due.map(({ _id }) => _id)
    },
  }
}

/** From this count on, counting takes long enough to be noticed: about 50 ms on MongoDB. */
const LARGE_COUNT = 50_000
const LARGE_COUNT_KNOWN_MS = 5_000

/**
 * Returns a function that counts exactly. The time for a count grows with the history, so a large count is used again for
 * five seconds. Its cost then doesn't grow with the number of calls.
 */
export function rememberLarge(count: () => Promise<number>): () => Promise<number> {
  let known = 0
  let countedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (known >= LARGE_COUNT && performance.now() - countedAt < LARGE_COUNT_KNOWN_MS) return known
    known = await count()
    countedAt = performance.now()
    return known
  }
}
