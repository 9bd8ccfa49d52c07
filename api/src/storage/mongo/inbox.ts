import { labelKey } from '@proctorpass/shared/label-key'
import { EXAM_SOON_MS } from '@proctorpass/shared/limits'
import type { Counts } from '@proctorpass/shared/schemas/inbox'
import type { Filter } from 'mongodb'
import type { ActivityRecord, InboxChange, InboxRepository } from '../port/inbox.ts'
import type { ConversationRecord } from '../port/storage.ts'
import { decideIdentity, identityNonce } from '../rules/identities.ts'
import { decideInboxChange } from '../rules/inbox-changes.ts'
import { decideMailEntry, decideNote } from '../rules/notes.ts'
import { type ActivityLog, recordOf } from './activity-log.ts'
import { openBlocksAndRatings } from './blocks-and-ratings.ts'
import type { MongoConnection } from './connection.ts'
import { anyOf, type Collections, type ConversationDoc, OPEN } from './documents.ts'
import { conversationOf, type Projection, untilMajorityRead } from './projection.ts'

/**
 * Status, assignee, labels, notes and their log, on the documents of conversations. Every change is one update, whose
 * filter names the totals and the log that it was decided on.
 * @see docs/decisions/0042-inbox-on-two-stores.md
 */
export function openInbox(
  { conversations, activity }: Collections,
  majority: MongoConnection['majority'],
  { write, current }: Projection,
  log: ActivityLog,
): InboxRepository {
  /** New labels as they are written in the store already. */
  async function asFirstWritten(change: InboxChange, before: readonly string[]): Promise<InboxChange> {
    if (change.labels === undefined) return change
    const known = new Set(before.map(labelKey))
    const labels = change.labels.map(async (label) => {
      const key = labelKey(label)
      if (known.has(key)) return label
      const found = await conversations.findOne({ labelKeys: key }, { projection: { labels: 1 } })
      return found?.labels?.find((other) => labelKey(other) === key) ?? label
    })
    return { ...change, labels: await Promise.all(labels) }
  }

  /** The answer to a retry must be as durable as the answer to the first attempt. */
  async function repeatedIsDurable(found: ConversationDoc, { _id }: ActivityRecord): Promise<void> {
    await log.move(found)
    await untilMajorityRead(() => activity.findOne({ _id }, { ...majority, projection: { _id: 1 } }))
  }

  const count = (filter: Filter<ConversationDoc>) => conversations.countDocuments(filter, majority)
  async function countBySite(): Promise<Pick<Counts, 'sites'>> {
    const found = conversations.aggregate<{ _id: string | null; count: number }>(
      [{ $match: { status: OPEN, lastAt: { $gt: 0 } } }, { $group: { _id: '$siteId', count: { $sum: 1 } } }],
      majority,
    )
    const sites: Record<string, number> = {}
    // A missing field and null may be groups of their own.
    for await (const { _id, count } of found) sites[_id ?? 'own'] = (sites[_id ?? 'own'] ?? 0) + count
    return Object.keys(sites).some((id) => id !== 'own') ? { sites } : {}
  }

  const countResolved = rememberLarge(() => count({ status: 'resolved' }))

  return {
    ...openBlocksAndRatings({ conversations, activity }, majority, { write, current }, log),

    change: (clientId, change, options) =>
      write(clientId, async () => {
        const found = await current(clientId)
        const conversation = found && recordOf(found)
        if (found === null || conversation === null) return { outcome: 'missing' }
        const before = { ...conversationOf(found), unansweredSince: found.unansweredSince }
        const decided = decideInboxChange(before, await asFirstWritten(change, before.labels), options)
        if (decided.outcome !== 'stored') return { ...decided, conversation }
        const stored = await log.store(found, decided)
        if (stored === null) return undefined
        return {
          outcome: 'stored',
          conversation: recordOf(stored.conversation) as ConversationRecord,
          activity: stored.activity,
        }
      }),

    addNote: (note) =>
      write(note.clientId, async () => {
        const found = await current(note.clientId)
        if (found === null) return { outcome: 'missing' }
        const decided = decideNote(found, note, await log.findNote(found, note.nonce))
        if (decided.outcome === 'stored') {
          const [activity] = (await log.store(found, decided))?.activity ?? []
          return activity && { outcome: 'stored', activity }
        }
        if (decided.outcome === 'repeated') await repeatedIsDurable(found, decided.activity)
        return decided
      }),

    addMail: (mail) =>
      write(mail.clientId, async () => {
        const found = await current(mail.clientId)
        if (found === null) return { outcome: 'missing' }
        const decided = decideMailEntry(found, mail, await log.findNote(found, mail.nonce))
        if (decided.outcome === 'repeated') await repeatedIsDurable(found, decided.activity)
        if (decided.outcome !== 'stored') return decided
        const [activity] = (await log.store(found, decided))?.activity ?? []
        return activity && { outcome: 'stored', activity }
      }),

    logIdentity: (clientId, data, at) =>
      write(clientId, async () => {
        const found = await current(clientId)
        const decided = found === null ? null : decideIdentity(found, data, at)
        if (found === null || decided === null) return null
        if ((await log.findNote(found, identityNonce(data.clientId))) !== null) return null
        return (await log.store(found, decided))?.activity[0]
      }),

    activity: log.page,
    concerning: log.concerning,

    async counts(userId, now) {
      const isSoon = { 'visitor.examAt': { $gte: now, $lte: now + EXAM_SOON_MS } }
      const [open, mine, unassigned, snoozed, examSoon, resolved, sites] = await Promise.all([
        count({ status: OPEN, lastAt: { $gt: 0 } }),
        count({ assigneeId: userId, status: OPEN }),
        count({ assigneeId: NONE, status: OPEN, lastAt: { $gt: 0 } }),
        count({ status: 'snoozed' }),
        count({ ...isSoon, status: anyOf(['open', 'snoozed']) }),
        countResolved(),
        countBySite(),
      ])
      return { open, mine, unassigned, examSoon, snoozed, resolved, all: open + snoozed + resolved, ...sites }
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

/** From here on, counting takes long enough to be noticed: about 50 ms on MongoDB. */
const LARGE_COUNT = 50_000
const LARGE_COUNT_KNOWN_MS = 5_000

/**
 * An exact count, which grows with history. A large one is used again for five seconds, so that its cost doesn't grow
 * with the number of calls.
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

/** Not every server counts null by equality. */
const NONE = { $in: [null] }
