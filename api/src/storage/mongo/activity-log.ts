import type { ActivityKind } from '@proctorpass/shared/schemas/inbox'
import type { Filter, UpdateFilter } from 'mongodb'
import type { ActivityRecord, ConversationRecord, NewEntry } from '../model/conversation/conversation.ts'
import { concernedBy, type EntryBehind } from '../model/conversation/inbox-changes.ts'
import { PageRows, toRecord } from '../model/conversation/rows.ts'
import type { WaitingMessages } from '../model/conversation/scheduled-records.ts'
import { claimOf } from '../model/conversation/visitors.ts'
import { hasEvent } from '../model/events.ts'
import { newId } from '../model/ids.ts'
import type { ActivityRecordPage, Concerning } from '../model/storage.ts'
import type { AuditedWrites } from './audit-chain.ts'
import {
  type ActivityDoc,
  type Collections,
  type ConversationDoc,
  inboxOf,
  labelFields,
} from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { EventNumbers } from './event-numbers.ts'
import { insertNew } from './outage.ts'

/** What a decision's update does in addition to storing the decision. */
interface Besides {
  update?: Pick<UpdateFilter<ConversationDoc>, '$set' | '$inc' | '$max'>
  /** Fields that the document must have, in addition to the same totals and the same log. */
  only?: object
}

export type ActivityLog = ReturnType<typeof openActivityLog>

/**
 * Opens the conversations' logs. One update stores a change and its entries. It numbers them from the conversation's
 * `activityN`, which its filter names, and stores them in the document. They are moved to the collection afterwards. If a
 * process dies in between, the next write or the sweep moves its entries. Readers look at both places.
 * @see docs/decisions/0042-inbox-on-two-stores.md
 */
export function openActivityLog(
  { conversations, activity, messages, attachments }: Collections,
  majority: MongoConnection['majority'],
  audited: AuditedWrites,
  mark: EventNumbers['mark'],
  sweepSoon: () => void,
) {
  /** Moves the pending entries to the collection. */
  async function move({ _id, epoch, activityN, pendingActivity = [] }: ConversationDoc): Promise<void> {
    if (pendingActivity.length === 0) return
    for (const entry of pendingActivity) await insertNew(activity.insertOne(entry))
    const { matchedCount } = await conversations.updateOne(
      { _id, epoch, activityN },
      { $unset: { pendingActivity: '', pendingFrom: '' } },
    )
    // With the same epoch, there is a newer entry, whose writer moved these too. With a new epoch, the history was
    // erased, and the entries that this call inserted must be removed again. While the history still has messages, the
    // erase needs the log for the figures and events, and removes it later.
    if (matchedCount > 0) return
    const now = await conversations.findOne({ _id }, { projection: { epoch: 1, erasedEpochs: 1 } })
    if (now?.epoch === epoch) return
    const isErasing = now?.erasedEpochs?.includes(epoch) ?? false
    if (isErasing && (await messages.findOne({ clientId: _id, epoch }, { projection: { _id: 1 } }))) return
    await activity.deleteMany({ clientId: _id, epoch })
  }

  /** Stores a decision in one update. Returns null when the conversation has changed since it was found. */
  async function store(
    found: ConversationDoc,
    { set, entries }: { set: Partial<ConversationDoc>; entries: readonly (NewEntry | EntryBehind)[] },
    { update: { $set, ...update } = {}, only = {} }: Besides = {},
  ): Promise<{ conversation: ConversationDoc; activity: ActivityRecord[] } | null> {
    await move(found)
    const { _id, epoch, seq } = found
    const { activityN: before, scheduled: waited } = inboxOf(found)
    const isScheduling = set.scheduled !== undefined
    const unclaimed = isScheduling ? { scheduledVersion: found.scheduledVersion ?? null } : {}
    const activityN = before + entries.length
    const added = entries.map((newEntry, index) => {
      const { kind, data, by, at, nonce } = newEntry
      const afterSeq = 'afterSeq' in newEntry ? newEntry.afterSeq : seq
      const numbered = { _id: newId(at), clientId: _id, epoch, n: before + 1 + index }
      const entry = { ...numbered, kind, by, at, afterSeq, data, ...concernFields({ kind, by, data }) }
      const marked = hasEvent(kind) ? { ...entry, ...mark() } : entry
      return nonce === undefined ? marked : { ...marked, nonce }
    })
    const conversation = await audited.change(
      { collection: conversations.collectionName, _id },
      ({ push }) =>
        conversations.findOneAndUpdate(
          // Documents from an older release have no number.
          {
            ...only,
            ...unclaimed,
            _id,
            epoch,
            seq,
            activityN: found.activityN ?? null,
          } as Filter<ConversationDoc>,
          {
            ...update,
            $set: {
              ...set,
              ...(set.labels && labelFields(set.labels)),
              ...$set,
              ...(isScheduling && {
                scheduledAt: set.scheduled?.[0]?.sendAt ?? null,
                scheduledVersion: (found.scheduledVersion ?? 0) + 1,
              }),
              ...(added.length === 0 ? {} : { activityN, pendingActivity: added, pendingFrom: before + 1 }),
            },
            ...(set.labels?.length === 0 ? { $unset: { labelKeys: '' } } : {}),
            ...push,
          } as UpdateFilter<ConversationDoc>,
          { returnDocument: 'after' },
        ),
      (changed) => changed !== null,
    )
    if (conversation === null) return null
    // The change is stored, so a failure only leaves the rest to the sweep.
    await move(conversation).catch(sweepSoon)
    if (isScheduling) await releaseFiles(waited, conversation).catch(sweepSoon)
    return { conversation, activity: added.map(toActivity) }
  }

  /** Lets the files of canceled messages expire. The sweep does so too. */
  async function releaseFiles(
    before: WaitingMessages,
    { _id: clientId, epoch, scheduled }: ConversationDoc,
  ): Promise<void> {
    for (const { nonce, attachments: files } of before ?? []) {
      if (files.length === 0 || scheduled?.some((each) => each.nonce === nonce)) continue
      if ((await messages.findOne({ clientId, epoch, nonce })) !== null) continue
      await attachments.updateMany(
        { _id: { $in: files.map(({ _id }) => _id) }, messageNonce: nonce },
        { $set: { messageNonce: null, createdAt: 0, unsentAt: 0 } },
      )
    }
  }

  /** Returns the entry under this nonce, or null. */
  async function entryUnder(
    { _id: clientId, epoch, pendingActivity = [] }: ConversationDoc,
    nonce: string,
  ): Promise<ActivityRecord | null> {
    const pending = pendingActivity.find((entry) => entry.nonce === nonce)
    const found = pending ?? (await activity.findOne({ clientId, epoch, nonce }))
    return found === null ? null : toActivity(found)
  }

  /** Returns the entries of these kinds, the newest first. */
  async function newestOf(
    { _id: clientId, epoch, pendingActivity = [] }: ConversationDoc,
    kinds: readonly ActivityKind[],
    limit: number,
  ): Promise<ActivityRecord[]> {
    const stored = await activity
      .find({ clientId, epoch, kind: { $in: [...kinds] } }, majority)
      .sort({ n: -1 })
      .limit(limit)
      .toArray()
    const found = new Map(stored.map((entry) => [entry.n, entry]))
    for (const entry of pendingActivity) if (kinds.includes(entry.kind)) found.set(entry.n, entry)
    return [...found.values()]
      .sort((a, b) => b.n - a.n)
      .slice(0, limit)
      .map(toActivity)
  }

  async function page(
    clientId: string,
    { after, before, limit }: { after?: number | undefined; before?: number | undefined; limit: number },
  ): Promise<ActivityRecordPage> {
    const found = await conversations.findOne({ _id: clientId }, majority)
    if (found === null) return { activity: [], n: 0, more: false }
    const { activityN: n } = inboxOf(found)
    // The page ends at the number that was read with the document. Each of these entries is pending in it or was moved.
    const last = Math.min(n, (before ?? n + 1) - 1)
    const isWanted = (entry: ActivityDoc) => entry.n > (after ?? 0) && entry.n <= last
    const direction = after === undefined ? -1 : 1
    const stored = activity
      .find({ clientId, epoch: found.epoch, n: { $gt: after ?? 0, $lte: last } }, majority)
      .sort({ n: direction })
      .limit(limit + 1)
    const rows = new PageRows<ActivityRecord>(limit)
    for await (const entry of merged(stored, (found.pendingActivity ?? []).filter(isWanted), direction)) {
      if (!rows.add(toActivity(entry), JSON.stringify(entry.data))) break
    }
    return { activity: after === undefined ? rows.rows.reverse() : rows.rows, n, more: rows.more }
  }

  async function concerning(
    userId: string,
    { since, limit }: { since: number; limit: number },
  ): Promise<Concerning[]> {
    const isWanted = { concerns: userId, at: { $gte: since } }
    const [stored, unmoved] = await Promise.all([
      activity.find(isWanted, majority).sort({ at: -1 }).limit(limit).toArray(),
      conversations
        .find({ pendingFrom: { $gt: 0 } }, majority)
        .limit(limit)
        .toArray(),
    ])
    const pending = unmoved
      .flatMap(({ pendingActivity = [] }) => pendingActivity)
      .filter(({ concerns, at }) => at >= since && concerns?.includes(userId))
    const entries = [...new Map([...stored, ...pending].map((entry) => [entry._id, entry])).values()]
    const found = await conversations
      .find(
        { _id: { $in: [...new Set(entries.map(({ clientId }) => clientId))] } },
        { ...majority, projection: { epoch: 1, visitor: 1 } },
      )
      .toArray()
    const byId = new Map(found.map((conversation) => [conversation._id, conversation]))
    return entries
      .flatMap((entry) => {
        const conversation = byId.get(entry.clientId)
        if (conversation?.epoch !== entry.epoch) return []
        const visitorName = conversation.visitor?.name ?? null
        return [{ activity: toActivity(entry), epoch: entry.epoch, visitorName }]
      })
      .sort((a, b) => newestFirst(a.activity, b.activity))
      .slice(0, limit)
  }

  return { move, store, entryUnder, newestOf, page, concerning }
}

/** Returns the conversation as the list shows it, or null if it has no messages. */
export function recordOf(found: ConversationDoc): ConversationRecord | null {
  const { lastMessage } = found
  return lastMessage && toRecord({ ...found, ...inboxOf(found) }, lastMessage, claimOf(found.visitor))
}

/** Returns the fields that an entry's index needs. */
export function concernFields(entry: Parameters<typeof concernedBy>[0]): Pick<ActivityDoc, 'concerns'> {
  const concerns = concernedBy(entry)
  return concerns.length === 0 ? {} : { concerns }
}

function newestFirst(a: ActivityRecord, b: ActivityRecord): number {
  return b.at - a.at || (a.clientId === b.clientId ? b.n - a.n : a.clientId < b.clientId ? 1 : -1)
}

function toActivity({ _id, clientId, n, kind, by, at, afterSeq, data }: ActivityDoc): ActivityRecord {
  return { _id, clientId, n, kind, by, at, afterSeq, data }
}

/** Yields stored and pending entries in order and each one once. The pending ones are the newest. */
async function* merged(
  stored: AsyncIterable<ActivityDoc>,
  pending: readonly ActivityDoc[],
  direction: 1 | -1,
): AsyncIterable<ActivityDoc> {
  const first = pending[0]?.n ?? Number.MAX_SAFE_INTEGER
  if (direction === -1) yield* [...pending].reverse()
  for await (const entry of stored) if (entry.n < first) yield entry
  if (direction === 1) yield* pending
}
