import type { Attachment, AttachmentType } from '@proctorpass/shared/schemas/attachment'
import type { Conversation } from '../engine/types.ts'

export const ATTACHMENT_TYPES: readonly AttachmentType[] = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'application/pdf',
]

/** Both a stored file and one that waits. */
export type ShownAttachment = Pick<Attachment, 'name' | 'type' | 'bytes' | 'width' | 'height'> & {
  _id?: string
  nonce?: string
}

export interface AttachmentViewProps {
  file: ShownAttachment
  conversation: Conversation
}
