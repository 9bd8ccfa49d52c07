import type { DatabaseSync } from 'node:sqlite'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import {
  type AttachmentBounds,
  type AttachmentRecord,
  type AttachmentTotals,
  attachmentsOf,
  exceededBound,
  type NewAttachment,
  repeatedAttachment,
  toAttachment,
} from '../model/conversation/attachments.ts'
import type { MessageWithFiles } from '../model/conversation/messages.ts'
import type { AttachmentRepository } from '../model/storage.ts'
import { always, ifStored, type WriteQueue } from './write-queue.ts'

export function openAttachments(db: DatabaseSync, queue: WriteQueue): AttachmentRepository {
  const sql = {
    byNonce: db.prepare('SELECT * FROM attachments WHERE clientId = ? AND senderId = ? AND nonce = ?'),
    byId: db.prepare('SELECT * FROM attachments WHERE _id = ? AND clientId = ?'),
    totals: db.prepare(
      `SELECT count(*) AS files, coalesce(sum(bytes), 0) AS bytes FROM attachments
       WHERE clientId = ? AND (messageNonce IS NOT NULL OR createdAt > 0)`,
    ),
    insert: db.prepare(
      `INSERT INTO attachments (_id, clientId, senderId, nonce, sentHash, keyHash, name, type, bytes, width, height, createdAt)
       VALUES (:_id, :clientId, :senderId, :nonce, :sentHash, :keyHash, :name, :type, :bytes, :width, :height, :createdAt)`,
    ),
    unsent: db.prepare(
      `SELECT _id FROM attachments WHERE messageNonce IS NULL AND createdAt < ? ORDER BY createdAt LIMIT ?`,
    ),
    unsentOf: db.prepare(
      `SELECT _id FROM attachments WHERE clientId = ? AND messageNonce IS NULL AND createdAt < ?
       ORDER BY createdAt LIMIT ?`,
    ),
    unsentBytes: db.prepare(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM attachments WHERE messageNonce IS NULL AND createdAt > 0',
    ),
    expire: db.prepare('UPDATE attachments SET createdAt = 0 WHERE _id = ? AND messageNonce IS NULL'),
    remove: db.prepare('DELETE FROM attachments WHERE _id = ? AND messageNonce IS NULL'),
  }
  const recordOf = (row: unknown) => (row === undefined ? null : { ...(row as AttachmentRecord) })
  function totalsWith({ clientId, bytes }: NewAttachment, bounds: AttachmentBounds): AttachmentTotals {
    const own = sql.totals.get(clientId) as { files: number; bytes: number }
    const unsent = bounds.unsentBytes === null ? 0 : (sql.unsentBytes.get() as { bytes: number }).bytes
    return { files: own.files + 1, bytes: own.bytes + bytes, unsentBytes: unsent + bytes }
  }
  return {
    add: (attachment, bounds) =>
      queue.write(() => {
        const { clientId, senderId, nonce } = attachment
        const found = recordOf(sql.byNonce.get(clientId, senderId, nonce))
        if (found !== null) return repeatedAttachment(found, attachment)
        const exceeded = exceededBound(totalsWith(attachment, bounds), bounds)
        if (exceeded !== null) return { outcome: exceeded }
        sql.insert.run(attachment)
        return { outcome: 'stored', attachment: { ...attachment, messageNonce: null } }
      }, ifStored),
    findByNonce: async ({ clientId, senderId, nonce }) =>
      recordOf(sql.byNonce.get(clientId, senderId, nonce)),
    find: async (clientId, id) => recordOf(sql.byId.get(id, clientId)),
    async listUnsent({ before, clientId, limit }) {
      const rows =
        clientId === undefined ? sql.unsent.all(before, limit) : sql.unsentOf.all(clientId, before, limit)
      return rows.map(({ _id }) => _id as string)
    },
    expire: (id) => queue.write(() => void sql.expire.run(id), always),
    remove: (id) => queue.write(() => void sql.remove.run(id), always),
  }
}

/** Assigns attachments to messages. Only jobs of the write queue may call it. */
export class MessageAttachments {
  readonly #sql

  constructor(db: DatabaseSync) {
    this.#sql = {
      find: db.prepare('SELECT * FROM attachments WHERE _id = ?'),
      send: db.prepare('UPDATE attachments SET messageNonce = ? WHERE _id = ?'),
      erase: db.prepare('UPDATE attachments SET messageNonce = NULL, createdAt = 0 WHERE clientId = ?'),
    }
  }

  /** Returns the message's files as it shows them, or the reason why it can't have them. */
  of(message: MessageWithFiles): Attachment[] | 'unknown-file' | 'file-used' {
    const found = attachmentsOf(message, (id) => this.#sql.find.get(id) as AttachmentRecord | undefined)
    return typeof found === 'string' ? found : found.map(toAttachment)
  }

  sent({ attachments = [], nonce }: Pick<MessageWithFiles, 'attachments' | 'nonce'>): void {
    for (const id of attachments) this.#sql.send.run(nonce, id)
  }

  /** Marks an erased history's attachments as expired. Their rows stay until their bytes are removed. */
  erase(clientId: string): void {
    this.#sql.erase.run(clientId)
  }
}
