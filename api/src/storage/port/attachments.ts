import type { Attachment } from '@proctorpass/shared/schemas/file'

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
  /** Too many files of all conversations are unsent. */
  | { outcome: 'no-room' }

export interface AttachmentBounds {
  /** Of one conversation. */
  files: number
  bytes: number
  /** Of all unsent files. Null for admins. */
  unsentBytes: number | null
}

export interface AttachmentRepository {
  /**
   * Stores the row of a file. Judged by the write itself: files never exceed the bounds. Of several calls at once on
   * several nodes that reach a bound together, all may be refused.
   */
  add(attachment: NewAttachment, bounds: AttachmentBounds): Promise<AttachmentAdded>
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
  /** Makes a file count as gone that was not sent, as erasing does. */
  expire(id: string): Promise<void>
  /** Removes the row of a file that was not sent, once its bytes are gone. */
  remove(id: string): Promise<void>
}
