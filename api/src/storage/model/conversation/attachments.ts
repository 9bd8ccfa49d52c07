import { UNSENT_ATTACHMENT_MS } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { MessageWithFiles } from './messages.ts'

/**
 * A message's file, or a file that waits for its message. Its bytes are in the attachment files under its `_id`. The
 * row is stored before the bytes and removed after them, so that bytes never exist without a row.
 */
export interface AttachmentRecord extends Omit<Attachment, 'width' | 'height'> {
  clientId: string
  senderId: string
  /** The upload's nonce, unique for each sender in a conversation. */
  nonce: string
  /** The hash of the bytes as they were sent. */
  sentHash: string
  /** The hash of the visitor's key at the upload. Null without a key. */
  keyHash: string | null
  width: number | null
  height: number | null
  /** The upload's time. 0 once the conversation was erased. */
  createdAt: number
  /** The nonce of the message that shows the file. Null until it is sent. */
  messageNonce: string | null
}

export type NewAttachment = Omit<AttachmentRecord, 'messageNonce'>

export type AttachmentAdded =
  | { outcome: 'stored' | 'repeated'; attachment: AttachmentRecord }
  /** The nonce belongs to other bytes or to an upload with another key. */
  | { outcome: 'nonce-taken' }
  /** The conversation has reached one of its bounds. */
  | { outcome: 'full' }
  /** All conversations together have too many unsent files. */
  | { outcome: 'no-room' }

export interface AttachmentBounds {
  /** The number of files that one conversation may have. */
  files: number
  bytes: number
  /** The bound for all unsent files together. Null for admins. */
  unsentBytes: number | null
}

/** Returns why a message can't have this file, or null when it can. */
function attachProblem(
  found: AttachmentRecord | null | undefined,
  { clientId, senderId, keyHash = null, nonce, at }: MessageWithFiles,
): 'unknown-file' | 'file-used' | null {
  const isOwn = found?.clientId === clientId && found.senderId === senderId
  if (!isOwn || (senderId === clientId && found.keyHash !== keyHash)) return 'unknown-file'
  if (found.messageNonce !== null && found.messageNonce !== nonce) return 'file-used'
  return isExpired(found, at) ? 'unknown-file' : null
}

/** Answers an upload whose nonce is already stored. */
export function repeatedAttachment(
  found: AttachmentRecord,
  { sentHash, keyHash }: NewAttachment,
): AttachmentAdded {
  const isSame = found.sentHash === sentHash && found.keyHash === keyHash
  return isSame ? { outcome: 'repeated', attachment: found } : { outcome: 'nonce-taken' }
}

/** A conversation's files and their bytes. `unsentBytes` counts all conversations. */
export interface AttachmentTotals {
  files: number
  bytes: number
  unsentBytes: number
}

/** Returns the bound that these totals exceed, or null. */
export function exceededBound(
  { files, bytes, unsentBytes }: AttachmentTotals,
  bounds: AttachmentBounds,
): 'full' | 'no-room' | null {
  if (files > bounds.files || bytes > bounds.bytes) return 'full'
  return bounds.unsentBytes !== null && unsentBytes > bounds.unsentBytes ? 'no-room' : null
}

/** Returns a message's files, or the reason why it can't have them. */
export function attachmentsOf<F extends AttachmentRecord>(
  message: MessageWithFiles,
  find: (id: string) => F | undefined,
): F[] | 'unknown-file' | 'file-used' {
  const files: F[] = []
  for (const id of message.attachments ?? []) {
    const found = find(id)
    const problem = attachProblem(found, message)
    if (problem !== null) return problem
    files.push(found as F)
  }
  return files
}

/** Returns whether a file counts as gone, because it was not sent in time or belongs to an erased history. */
export function isExpired({ createdAt, messageNonce }: AttachmentRecord, now: number): boolean {
  return messageNonce === null && createdAt <= now - UNSENT_ATTACHMENT_MS
}

/** Returns the file as its message shows it. */
export function toAttachment({ _id, name, type, bytes, width, height }: AttachmentRecord): Attachment {
  return { _id, name, type, bytes, ...(width === null || height === null ? {} : { width, height }) }
}
