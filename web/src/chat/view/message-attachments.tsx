import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { CSSProperties } from 'react'
import type { PendingAttachment } from '../engine/attachments.ts'
import type { Conversation } from '../engine/types.ts'
import { loadFiles } from './load-files.ts'
import type { ShownAttachment } from './shown-attachment.ts'
import { useLoaded } from './use-loaded.ts'
import type { WaitingRow } from './waiting-row.tsx'

/**
 * Shows a message's files. Their places have their size before the code that shows them is loaded, so that nothing
 * moves.
 */
export function MessageAttachments(props: {
  files: readonly (Attachment | PendingAttachment)[]
  conversation: Conversation
  /** The row of a message that is not stored. */
  waiting: WaitingRow | null
}) {
  const { files, conversation, waiting } = props
  const view = useLoaded(loadFiles)
  return (
    <>
      <ul className="chat-files">
        {files.map((file, place) => (
          <li key={place} className="chat-file" style={sizeOf(file)}>
            {view ? <view.AttachmentView file={file} conversation={conversation} /> : file.name}
          </li>
        ))}
      </ul>
      {waiting && view && <view.UploadState {...waiting} />}
    </>
  )
}

/** An image's width in rem, if there is room. */
const IMAGE_REM = 13

function sizeOf({ width, height }: ShownAttachment): CSSProperties | undefined {
  if (!width || !height) return undefined
  const shape = Math.min(2.5, Math.max(0.4, width / height))
  return { width: `${Math.min(1, shape) * IMAGE_REM}rem`, aspectRatio: shape }
}
