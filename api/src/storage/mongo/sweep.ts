import { changesByMessages } from '../model/conversation/inbox-changes.ts'
import type { ActivityLog } from './activity-log.ts'
import type { Collections, MessageDoc } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { EditMoves } from './edits.ts'
import type { ErasedConversation } from './erased.ts'
import { conversationOf, type Projection } from './projection.ts'

/** The sweep goes this far back from the newest message, which is further than two nodes' clocks are apart. */
const BACK_MS = 24 * 60 * 60 * 1_000
const BATCH = 1_000
/**
 * The sweep leaves rows of `erasedEpochs` to `removeErased`, which may be running on another node and still need them.
 */
const EPOCHS = { projection: { epoch: 1, seq: 1, erasedEpochs: 1, importing: 1 } }

type Found = Pick<MessageDoc, 'clientId' | 'epoch' | 'seq'>

type Steps = Pick<Projection, 'newestDurable' | 'project'> &
  Pick<EditMoves, 'moveEdit'> &
  ActivityLog & { removeErased: (conversation: ErasedConversation) => Promise<void> }

/**
 * Finishes what processes left half done when they died, unless a failover may take that back. Returns the number of
 * projections that it moved.
 */
export async function sweep(
  collections: Collections,
  majority: MongoConnection['majority'],
  steps: Steps,
): Promise<number> {
  // Erased histories are removed first, because their messages name their files.
  for await (const found of collections.conversations.find({ erasedAt: { $gt: 0 } }, majority)) {
    await steps.removeErased(found)
  }
  const moved = await sweepMessages(collections, steps)
  await sweepLogs(collections, majority, steps)
  return moved
}

/** Moves pending corrections and log entries, and removes erased histories' entries from the last day that were stored late. */
async function sweepLogs(
  { conversations, activity }: Collections,
  majority: MongoConnection['majority'],
  { move, moveEdit, store }: Steps,
): Promise<void> {
  for await (const found of conversations.find({ pendingEditOf: { $gt: 0 } }, majority)) await moveEdit(found)
  for await (const found of conversations.find({ pendingFrom: { $gt: 0 } }, majority)) await move(found)
  // A node of an older release does not reopen a conversation when its visitor writes. The next sweep repeats a write
  // that another process overtook.
  for await (const found of conversations.find({ status: 'resolved', waitingSince: { $gt: 0 } }, majority)) {
    await store(
      found,
      changesByMessages(conversationOf(found), [
        { seq: found.seq, nonce: found.lastMessage?.nonce ?? '', by: null, at: found.lastAt },
      ]),
    )
  }
  // A node of an older release does not end the wait when its admin blocks the visitor.
  const isBlocked = { waitingSince: { $gt: 0 }, blockedUntil: { $gt: Date.now() } }
  for await (const found of conversations.find(isBlocked, majority)) {
    await store(found, { set: { waitingSince: null, settledSeq: found.seq }, entries: [] })
  }
  const epochs = new Map<string, string>()
  const latest = activity
    .find({ at: { $gte: Date.now() - BACK_MS } }, { projection: { clientId: 1, epoch: 1 }, batchSize: BATCH })
    .sort({ at: 1 })
  for await (const { clientId, epoch } of latest) epochs.set(epoch, clientId)
  const known = [...epochs]
  for (let from = 0; from < known.length; from += BATCH) {
    const batch = known.slice(from, from + BATCH)
    const ids = batch.map(([, clientId]) => clientId)
    const current = await conversations.find({ _id: { $in: ids } }, EPOCHS).toArray()
    const kept = new Set(current.flatMap(({ epoch, erasedEpochs = [] }) => [epoch, ...erasedEpochs]))
    for (const [epoch, clientId] of batch) {
      if (!kept.has(epoch)) await activity.deleteMany({ clientId, epoch })
    }
  }
}

/**
 * Moves every projection that a process left behind when it died, and removes messages that were stored after their
 * history was erased. It covers the day before the newest message, so that wrong clocks do not matter, and the last day
 * by this node's clock.
 */
async function sweepMessages(
  { messages, conversations }: Collections,
  { newestDurable, project }: Steps,
): Promise<number> {
  const now = Date.now()
  const last = await newestTime(messages, now)
  if (last === null) return 0
  const from = last - BACK_MS
  const walk = (createdAt: { $gte: number; $lt?: number }) =>
    messages
      .find({ createdAt }, { projection: { _id: 0, clientId: 1, epoch: 1, seq: 1 }, batchSize: BATCH })
      .sort({ createdAt: 1 })
  async function* latest() {
    // If a clock was ahead, the newest message is not from today. Both ranges are in the order of time, so that `batch`
    // keeps each history's latest message.
    if (from > now - BACK_MS) yield* walk({ $gte: now - BACK_MS, $lt: Math.min(from, now + BACK_MS) })
    yield* walk({ $gte: from })
  }

  async function moveProjections(batch: Map<string, Found>): Promise<number> {
    const ids = [...batch.values()].map(({ clientId }) => clientId)
    const found = await conversations.find({ _id: { $in: ids } }, EPOCHS).toArray()
    const known = new Map(found.map((conversation) => [conversation._id, conversation]))
    let moved = 0
    for (const { clientId, epoch, seq } of batch.values()) {
      const conversation = known.get(clientId)
      if (conversation === undefined) continue
      if (conversation.erasedEpochs?.includes(epoch)) continue
      if (conversation.epoch !== epoch) {
        await messages.deleteMany({ clientId, epoch })
      } else if (conversation.seq < seq && !conversation.importing) {
        const message = await newestDurable(clientId, epoch)
        if (message === null || message.seq <= conversation.seq) continue
        if ((await project(message)) !== null) moved += 1
      }
    }
    return moved
  }

  let moved = 0
  /** The latest message by epoch. No two conversations share an epoch. */
  let batch = new Map<string, Found>()
  let seen = 0
  for await (const message of latest()) {
    batch.set(message.epoch, message)
    if (++seen % BATCH !== 0) continue
    moved += await moveProjections(batch)
    batch = new Map()
  }
  return moved + (await moveProjections(batch))
}

/**
 * Returns when the newest message was stored, or null without messages. Looks in the last day first and then in longer
 * ranges, because not every server reads an index backwards, and such a server sorts the whole range.
 */
async function newestTime(messages: Collections['messages'], now: number): Promise<number | null> {
  for (let backMs = BACK_MS; ; backMs *= 8) {
    const from = Math.max(0, now - backMs)
    const [last] = await messages
      .find({ createdAt: { $gte: from } }, { projection: { createdAt: 1 } })
      .sort({ createdAt: -1 })
      .limit(1)
      .toArray()
    if (last !== undefined) return last.createdAt
    if (from === 0) return null
  }
}
