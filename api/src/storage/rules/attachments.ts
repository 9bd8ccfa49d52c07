import { UNSENT_FILE_MS } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/file'
import type {
  AttachmentAdded,
  AttachmentBounds,
  AttachmentRecord,
  NewAttachment,
} from '../port/attachments.ts'
import type { NewMessage } from '../port/storage.ts'

/** Why a message cannot have this file; null when it can. */
function attachProblem(
  found: AttachmentRecord | null | undefined,
  { clientId, senderId, keyHash = null, nonce, at }: NewMessage,
): 'unknown-file' | 'file-used' | null {
  const isOwn = found?.clientId === clientId && found.senderId === senderId
  if (!isOwn || (senderId === clientId && found.keyHash !== keyHash)) return 'unknown-file'
  if (found.messageNonce !== null && found.messageNonce !== nonce) return 'file-used'
  return isExpired(found, at) ? 'unknown-file' : null
}

/** The answer to an upload under whose nonce a file is stored. */
export function repeatedUpload(
  found: AttachmentRecord,
  { sentHash, keyHash }: NewAttachment,
): AttachmentAdded {
  const isSame = found.sentHash === sentHash && found.keyHash === keyHash
  return isSame ? { outcome: 'repeated', attachment: found } : { outcome: 'nonce-taken' }
}

/** Of a conversation: its files, and their bytes. `unsentBytes`: of all conversations. */
export interface FileTotals {
  files: number
  bytes: number
  unsentBytes: number
}

/** The bound that these totals exceed. */
export function exceededBound(
  { files, bytes, unsentBytes }: FileTotals,
  bounds: AttachmentBounds,
): 'full' | 'no-room' | null {
  if (files > bounds.files || bytes > bounds.bytes) return 'full'
  return bounds.unsentBytes !== null && unsentBytes > bounds.unsentBytes ? 'no-room' : null
}

/** The files of a message, or why it cannot have them. */
export function filesOf<F extends AttachmentRecord>(
  message: NewMessage,
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
