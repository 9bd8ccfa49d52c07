import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Conversation } from '../engine/types.ts'

/** A stored file or a waiting one, as it is shown. */
export type ShownAttachment = Pick<Attachment, 'name' | 'type' | 'bytes' | 'width' | 'height'> & {
  _id?: string
  nonce?: string
}

export interface AttachmentViewProps {
  file: ShownAttachment
  conversation: Conversation
}
