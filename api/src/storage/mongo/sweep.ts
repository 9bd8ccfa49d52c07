import type { Collections, MessageDoc } from './documents.ts'
import type { Projection } from './projection.ts'

/** How far the sweep goes back from the newest message: further than the clocks of two nodes are apart. */
const BACK_MS = 24 * 60 * 60 * 1_000
const BATCH = 1_000

type Found = Pick<MessageDoc, 'clientId' | 'epoch' | 'seq'>

/**
 * Moves every projection that a process left behind when it died, and removes late messages of an erased history.
 * Covers the day before the newest message, whatever the clocks say, and the last day by this clock. Returns how many
 * projections it moved.
 */
export async function sweep(
  { messages, conversations }: Collections,
  { newest, project }: Projection,
): Promise<number> {
  const [last] = await messages
    .find({}, { projection: { createdAt: 1 } })
    .sort({ createdAt: -1 })
    .limit(1)
    .toArray()
  if (last === undefined) return 0
  const from = last.createdAt - BACK_MS
  const now = Date.now()
  const walk = (createdAt: { $gte: number; $lt?: number }) =>
    messages
      .find({ createdAt }, { projection: { _id: 0, clientId: 1, epoch: 1, seq: 1 }, batchSize: BATCH })
      .sort({ createdAt: 1 })
  async function* latest() {
    // When a clock was ahead, the newest message is not from today. In order of time, so that `batch` ends at the latest.
    if (from > now - BACK_MS) yield* walk({ $gte: now - BACK_MS, $lt: Math.min(from, now + BACK_MS) })
    yield* walk({ $gte: from })
  }

  async function moveProjections(batch: Map<string, Found>): Promise<number> {
    const ids = [...batch.values()].map(({ clientId }) => clientId)
    const found = await conversations
      .find({ _id: { $in: ids } }, { projection: { epoch: 1, seq: 1 } })
      .toArray()
    const known = new Map(found.map((conversation) => [conversation._id, conversation]))
    let moved = 0
    for (const { clientId, epoch, seq } of batch.values()) {
      const conversation = known.get(clientId)
      if (conversation === undefined) continue
      if (conversation.epoch !== epoch) {
        await messages.deleteMany({ clientId, epoch })
      } else if (conversation.seq < seq) {
        const message = await newest(clientId, epoch)
        if (message !== null && (await project(message)) !== null) moved += 1
      }
    }
    return moved
  }

  let moved = 0
  /** The latest message by epoch: no two conversations share an epoch. */
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
