import { labelKey } from '@proctorpass/shared/label-key'
import { EXAM_SOON_MS } from '@proctorpass/shared/limits'
import type { Filter } from 'mongodb'
import type { InboxChange, InboxRecord, InboxRepository } from '../inbox.ts'
import { applyChange, isResolved, isUndoneResolve } from '../inbox-changes.ts'
import type { ConversationRecord } from '../storage.ts'
import { type ActivityLog, recordOf } from './activity-log.ts'
import { openBlocksAndRatings } from './blocks-and-ratings.ts'
import type { MongoConnection } from './connection.ts'
import { anyOf, type Collections, type ConversationDoc, inboxOf, OPEN } from './documents.ts'
import { type Projection, untilSettled } from './projection.ts'

/**
 * Status, assignee, labels, notes and their log, on the documents of conversations. Every change is one update, whose
 * filter names the totals and the log that it was decided on.
 * @see docs/decisions/0042-inbox-on-two-stores.md
 */
export function openInbox(
  { conversations, activity }: Collections,
  settled: MongoConnection['settled'],
  { write, newest, project }: Projection,
  log: ActivityLog,
): InboxRepository {
  /** The conversation at its newest message, with what that changed; null without messages. */
  async function current(clientId: string): Promise<ConversationDoc | null> {
    const found = await conversations.findOne({ _id: clientId })
    if (found === null) return null
    const last = await newest(clientId, found.epoch)
    if (last === null) return null
    return last.seq > found.seq ? ((await project(last))?.conversation ?? null) : found
  }

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

  /** What a resolve, or its undoing, means for the waiting time. */
  async function waiting(
    { _id, epoch, seq }: ConversationDoc,
    before: InboxRecord,
    after: InboxRecord,
    by: string | null,
  ) {
    if (after.status === 'resolved') {
      const rated = isResolved(before, after) ? { rated: false } : {}
      return { update: { $set: { settledSeq: seq, waitingSince: null, ...rated } } }
    }
    if (!isUndoneResolve(before, after, by)) return {}
    const last = await newest(_id, epoch)
    return { update: { $set: { settledSeq: 0, waitingSince: last?.waitingSince ?? null } } }
  }

  const count = (filter: Filter<ConversationDoc>) => conversations.countDocuments(filter, settled)

  return {
    ...openBlocksAndRatings({ conversations, activity }, settled, { write, newest, project }, log),

    change: (clientId, change, { by, at, version, onlyDueBy }) =>
      write(clientId, async () => {
        const found = await current(clientId)
        const conversation = found && recordOf(found)
        if (found === null || conversation === null) return { outcome: 'missing' }
        const before = inboxOf(found)
        if (version !== undefined && version !== before.version) return { outcome: 'stale', conversation }
        const { snoozedUntil } = before
        const isDue = onlyDueBy === undefined || (snoozedUntil !== null && snoozedUntil <= onlyDueBy)
        const applied = isDue ? applyChange(before, await asFirstWritten(change, before.labels)) : null
        if (applied === null) return { outcome: 'unchanged', conversation }
        const { after, entries } = applied
        const stored = await log.store(
          found,
          { inbox: after, ...(await waiting(found, before, after, by)) },
          entries.map((entry) => ({ ...entry, by, at })),
        )
        if (stored === null) return undefined
        return {
          outcome: 'stored',
          conversation: recordOf(stored.conversation) as ConversationRecord,
          activity: stored.activity,
        }
      }),

    addNote: ({ clientId, nonce, by, text, mentions, at }) =>
      write(clientId, async () => {
        const found = await current(clientId)
        if (found === null) return { outcome: 'missing' }
        const note = await log.findNote(found, nonce)
        if (note === null) {
          const data = { text, mentions: [...mentions] }
          const stored = await log.store(found, {}, [{ kind: 'note', data, by, at, nonce }])
          const [added] = stored?.activity ?? []
          return added && { outcome: 'stored', activity: added }
        }
        if (note.by !== by || (note.data as { text: string }).text !== text) return { outcome: 'nonce-taken' }
        // The answer to a retry must be as durable as the answer to the first attempt.
        await log.move(found)
        await untilSettled(() => activity.findOne({ _id: note._id }, { ...settled, projection: { _id: 1 } }))
        return { outcome: 'repeated', activity: note }
      }),

    activity: log.page,

    async counts(userId, now) {
      const isSoon = { 'visitor.examAt': { $gte: now, $lte: now + EXAM_SOON_MS } }
      const [open, mine, unassigned, snoozed, examSoon, stored, empty] = await Promise.all([
        count({ status: OPEN, lastAt: { $gt: 0 } }),
        count({ assigneeId: userId, status: OPEN }),
        count({ assigneeId: NONE, status: OPEN, lastAt: { $gt: 0 } }),
        count({ status: 'snoozed' }),
        count({ ...isSoon, status: anyOf(['open', 'snoozed']) }),
        conversations.estimatedDocumentCount(),
        count({ waitingSince: NONE, lastAt: 0 }),
      ])
      // The others of all: counting them would cost more with every resolved conversation.
      const all = Math.max(stored - empty, open + snoozed)
      return { open, mine, unassigned, examSoon, snoozed, resolved: all - open - snoozed, all }
    },

    async labels(limit) {
      const written = new Map<string, string>()
      for (const label of (await conversations.distinct('labels', {}, settled)) as string[]) {
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
        .find({ snoozedUntil: { $gt: 0, $lte: now } }, { ...settled, projection: { _id: 1 } })
        .sort({ snoozedUntil: 1 })
        .limit(limit)
        .toArray()
      return due.map(({ _id }) => _id)
    },
  }
}

/** Not every server counts null by equality. */
const NONE = { $in: [null] }
