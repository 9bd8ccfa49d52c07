import type { Attachment } from '@proctorpass/shared/schemas/file'
import type { MessageRow } from '../model/conversation/rows.ts'

/** `attachments` is JSON. */
export type MessageColumns = Omit<MessageRow, 'attachments'> & { attachments: string | null }

export function messageRow<Columns extends { attachments: string | null }>(columns: Columns) {
  const { attachments } = columns
  const files = attachments === null ? null : (JSON.parse(attachments) as Attachment[])
  return { ...columns, attachments: files }
}
