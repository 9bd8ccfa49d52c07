import type { Attachment, FileType } from '@proctorpass/shared/schemas/file'
import type { Conversation } from '../engine/types.ts'

export const FILE_TYPES: readonly FileType[] = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf']

/** Both a stored file and one that waits. */
export type ShownFile = Pick<Attachment, 'name' | 'type' | 'bytes' | 'width' | 'height'> & {
  _id?: string
  nonce?: string
}

export interface FileViewProps {
  file: ShownFile
  conversation: Conversation
}
