import { setTimeout as wait } from 'node:timers/promises'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import {
  type AttachmentAdded,
  type AttachmentBounds,
  type AttachmentRecord,
  attachmentsOf,
  exceededBound,
  type NewAttachment,
  repeatedAttachment,
  toAttachment,
} from '../model/conversation/attachments.ts'
import type { MessageWithFiles } from '../model/conversation/messages.ts'
import { KeyedMutex } from '../model/keyed-mutex.ts'
import type { AttachmentRepository } from '../model/storage.ts'
import type { AttachmentDoc, Collections } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { isDuplicate } from './outage.ts'
import { untilMajorityRead } from './projection.ts'

/** The number of attempts to store a file within the bounds while other nodes may store files too. */
const ATTEMPTS_MAX = 5
const PAUSE_MS = 50

export function openAttachments(
  { attachments, conversations, messages }: Collections,
  majority: MongoConnection['majority'],
): AttachmentRepository {
  const mutex = new KeyedMutex()

  async function unsentBytes(): Promise<number> {
    const [sum] = await attachments
      .aggregate<{ total: number }>([
        { $match: { unsentAt: { $gt: 0 } } },
        { $group: { _id: null, total: { $sum: '$bytes' } } },
      ])
      .toArray()
    return sum?.total ?? 0
  }

  /** Returns the bound that the conversation's files exceed together with the added ones, or null. */
  async function exceeded(
    clientId: string,
    bounds: AttachmentBounds,
    added: { files: number; bytes: number },
  ): Promise<'full' | 'no-room' | null> {
    const rows = await attachments
      .find({ clientId, createdAt: { $gt: 0 } }, { projection: { bytes: 1 } })
      .toArray()
    const files = rows.length + added.files
    const bytes = rows.reduce((sum, row) => sum + row.bytes, added.bytes)
    const unsent = bounds.unsentBytes === null ? 0 : (await unsentBytes()) + added.bytes
    return exceededBound({ files, bytes, unsentBytes: unsent }, bounds)
  }

  /**
   * Answers a retry, or returns null when the attachment is not stored. The answer to a retry must be as durable as the
   * answer to the first attempt.
   */
  async function repeated(upload: NewAttachment): Promise<AttachmentAdded | null> {
    const { clientId, senderId, nonce } = upload
    const found = await attachments.findOne({ clientId, senderId, nonce })
    if (found === null) return null
    const answer = repeatedAttachment(recordOf(found), upload)
    if (answer.outcome === 'nonce-taken') return answer
    const { _id } = found
    await untilMajorityRead(() => attachments.findOne({ _id }, { ...majority, projection: { _id: 1 } }))
    return answer
  }

  /**
   * Adds an attachment. The bounds are checked again after the row is stored, so that nodes that compete for the last
   * place see each other. A node that exceeded a bound removes its row and tries again, because the other nodes may
   * have removed theirs too.
   */
  async function add(upload: NewAttachment, bounds: AttachmentBounds): Promise<AttachmentAdded> {
    const known = await repeated(upload)
    if (known !== null) return known
    const { clientId, bytes } = upload
    for (let attempts = 1; ; attempts++) {
      const before = await exceeded(clientId, bounds, { files: 1, bytes })
      if (before !== null) return { outcome: before }
      try {
        await attachments.insertOne({ ...upload, messageNonce: null, unsentAt: upload.createdAt })
      } catch (error) {
        const other = isDuplicate(error) ? await repeated(upload) : null
        if (other === null) throw error
        return other
      }
      const outcome = await exceeded(clientId, bounds, { files: 0, bytes: 0 })
      if (outcome === null) return { outcome: 'stored', attachment: { ...upload, messageNonce: null } }
      await attachments.deleteOne({ _id: upload._id })
      if (attempts === ATTEMPTS_MAX) return { outcome }
      await wait(Math.random() * PAUSE_MS)
    }
  }

  /**
   * Returns whether the message that claimed the file was stored, or waits until it is sent. A process may have died
   * before or after storing it.
   */
  async function claimOf({
    _id,
    clientId,
    messageNonce: nonce,
  }: AttachmentDoc): Promise<'sent' | 'waits' | null> {
    if (nonce === null) return null
    const options = { projection: { epoch: 1, scheduled: 1 } }
    const conversation = await conversations.findOne({ _id: clientId }, options)
    if (conversation === null) return null
    const { epoch, scheduled } = conversation
    // What waits is read before the message, because it becomes one.
    if (scheduled?.some((each) => each.nonce === nonce)) return 'waits'
    const message = await messages.findOne({ clientId, epoch, nonce })
    return message?.attachments?.some((file) => file._id === _id) ? 'sent' : null
  }

  return {
    add: (upload, bounds) => mutex.run(upload.clientId, () => add(upload, bounds)),

    async findByNonce({ clientId, senderId, nonce }) {
      const found = await attachments.findOne({ clientId, senderId, nonce }, majority)
      return found && recordOf(found)
    },

    async find(clientId, id) {
      const found = await attachments.findOne({ _id: id, clientId }, majority)
      return found && recordOf(found)
    },

    async listUnsent({ before, clientId, limit }) {
      const filter = { unsentAt: { $lt: before }, ...(clientId === undefined ? {} : { clientId }) }
      for (;;) {
        const found = await attachments.find(filter).sort({ unsentAt: 1 }).limit(limit).toArray()
        const unsent: string[] = []
        for (const file of found) {
          const { _id, messageNonce } = file
          const claim = await claimOf(file)
          if (claim === null) unsent.push(_id)
          // The sweep looks at a waiting message's files again once they would have expired.
          else await attachments.updateOne({ _id, messageNonce }, claim === 'sent' ? SENT : WAITS())
        }
        if (unsent.length > 0 || found.length < limit) return unsent
      }
    },

    async expire(id) {
      const unclaimed = { _id: id, messageNonce: null, unsentAt: { $gte: 0 } }
      await attachments.updateOne(unclaimed, { $set: { createdAt: 0, unsentAt: 0 } })
    },

    async remove(id) {
      await attachments.deleteOne({ _id: id, unsentAt: { $gte: 0 } })
    },
  }
}

const SENT = { $unset: { unsentAt: '' } } as const
const WAITS = () => ({ $set: { unsentAt: Date.now() } })

/**
 * Assigns attachments to messages. A message claims its attachments before it is stored, so that a crash leaves them
 * unsent.
 */
export function openMessageAttachments({ attachments }: Collections) {
  /** Releases the claimed files that the stored message does not have. */
  async function release(
    { attachments: ids = [], nonce }: MessageWithFiles,
    stored: readonly Attachment[] = [],
  ) {
    const unused = ids.filter((id) => !stored.some(({ _id }) => _id === id))
    if (unused.length === 0) return
    const claimed = { _id: { $in: unused }, messageNonce: nonce, unsentAt: { $gte: 0 } }
    await attachments.updateMany(claimed, { $set: { messageNonce: null } })
  }

  return {
    release,

    /**
     * Claims the message's files and returns them as the message shows them, or the reason why it can't have them. Each
     * claim is a write that names the row as it was read. Returns undefined when another process overtook one.
     */
    async claim(message: MessageWithFiles): Promise<Attachment[] | 'unknown-file' | 'file-used' | undefined> {
      const { attachments: ids = [], nonce } = message
      if (ids.length === 0) return []
      const found = await attachments.find({ _id: { $in: [...ids] } }).toArray()
      const files = attachmentsOf(message, (id) => found.find(({ _id }) => _id === id))
      if (typeof files === 'string') return files
      for (const { _id, createdAt, messageNonce } of files) {
        const { matchedCount } = await attachments.updateOne(
          { _id, createdAt, messageNonce },
          { $set: { messageNonce: nonce } },
        )
        if (matchedCount === 1) continue
        await release(message)
        return undefined
      }
      return files.map(toAttachment)
    },

    /**
     * Marks the files of a stored message as sent. Another attempt at the message may have released them after this one
     * claimed them, so released files are claimed again. The sweep repeats this where a process died before.
     */
    async sent(files: readonly Attachment[] | null | undefined, nonce: string): Promise<void> {
      if (!files || files.length === 0) return
      const ids = files.map(({ _id }) => _id)
      const claimable = { _id: { $in: ids }, messageNonce: { $in: [nonce, null] }, createdAt: { $gt: 0 } }
      await attachments.updateMany(claimable, { $set: { messageNonce: nonce }, ...SENT })
    },
  }
}

function recordOf({ unsentAt: _, ...record }: AttachmentDoc): AttachmentRecord {
  return record
}
