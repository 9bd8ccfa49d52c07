import { UNSENT_FILE_MS } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/file'
import type { NewMessage } from './storage.ts'

/**
 * A file of a message, or one that waits for its message. Its bytes are in the attachment files under its `_id`. The row
 * is stored before them and removed after them, so that no bytes are ever without a row.
 */
export interface AttachmentRecord extends Omit<Attachment, 'width' | 'height'> {
  clientId: string
  senderId: string
  /** Of the upload; unique for each sender in a conversation. */
  nonce: string
  /** The hash of the bytes as they were sent. */
  sentHash: string
  /** The hash of the visitor's key with which it was uploaded; null without one. */
  keyHash: string | null
  width: number | null
  height: number | null
  /** The time of the upload; 0 once its conversation was erased. */
  createdAt: number
  /** Of the message that shows it; null until it is sent. */
  messageNonce: string | null
}
export type NewAttachment = Omit<AttachmentRecord, 'messageNonce'>

export type AttachmentAdded =
  | { outcome: 'stored' | 'repeated'; attachment: AttachmentRecord }
  /** The nonce belongs to other bytes, or to an upload with another key. */
  | { outcome: 'nonce-taken' }
  /** The conversation has reached one of its bounds. */
  | { outcome: 'full' }

export interface AttachmentRepository {
  /**
   * Stores the row of a file. Judged by the write itself: the files of a conversation never exceed the bounds. Of
   * several calls at once on several nodes that reach a bound together, all may be refused.
   */
  add(attachment: NewAttachment, bounds: { files: number; bytes: number }): Promise<AttachmentAdded>
  findByNonce(
    upload: Pick<AttachmentRecord, 'clientId' | 'senderId' | 'nonce'>,
  ): Promise<AttachmentRecord | null>
  /** A file of this conversation. */
  find(clientId: string, id: string): Promise<AttachmentRecord | null>
  /**
   * The ids of files that were uploaded before that time and never sent, of one conversation or of all, the oldest
   * first. Erasing a conversation leaves its files so.
   */
  listUnsent(options: { before: number; clientId?: string; limit: number }): Promise<string[]>
  /** Removes the row of a file that was not sent, once its bytes are gone. */
  remove(id: string): Promise<void>
}

/** Why a message cannot have this file; null when it can. */
export function attachProblem(
  found: AttachmentRecord | null | undefined,
  { clientId, senderId, keyHash = null, nonce, at }: NewMessage,
): 'unknown-file' | 'file-used' | null {
  const isOwn = found?.clientId === clientId && found.senderId === senderId
  if (!isOwn || (senderId === clientId && found.keyHash !== keyHash)) return 'unknown-file'
  if (found.messageNonce !== null && found.messageNonce !== nonce) return 'file-used'
  return isExpired(found, at) ? 'unknown-file' : null
}

/** Whether a file was not sent in time, or belongs to an erased history: it counts as gone. */
export function isExpired({ createdAt, messageNonce }: AttachmentRecord, now: number): boolean {
  return messageNonce === null && createdAt <= now - UNSENT_FILE_MS
}

/** The file as its message shows it. */
export function toAttachment({ _id, name, type, bytes, width, height }: AttachmentRecord): Attachment {
  return { _id, name, type, bytes, ...(width === null || height === null ? {} : { width, height }) }
}

/** Whether a stored message has these files. */
export function hasAttachments(
  stored: readonly Attachment[] | null | undefined,
  ids: readonly string[] | undefined,
): boolean {
  return (stored ?? []).map(({ _id }) => _id).join() === (ids ?? []).join()
}
