import type { Attachment } from '@proctorpass/shared/schemas/file'
import type { CSSProperties } from 'react'
import type { PendingFile } from '../engine/files.ts'
import type { Conversation } from '../engine/types.ts'
import type { ShownFile } from './shown-file.ts'
import { useLoaded } from './use-loaded.ts'
import type { WaitingRow } from './waiting-row.tsx'

const load = () => import('./files/file-view.tsx')

/** The files of a message. Their places have their size before what shows them is loaded, so that nothing moves. */
export function MessageFiles(props: {
  files: readonly (Attachment | PendingFile)[]
  conversation: Conversation
  /** Of a message that is not stored. */
  waiting: WaitingRow | null
}) {
  const { files, conversation, waiting } = props
  const view = useLoaded(load)
  return (
    <>
      <ul className="chat-files">
        {files.map((file, place) => (
          <li key={place} className="chat-file" style={sizeOf(file)}>
            {view ? <view.FileView file={file} conversation={conversation} /> : file.name}
          </li>
        ))}
      </ul>
      {waiting && view && <view.UploadState {...waiting} />}
    </>
  )
}

/** In rem, as long as there is room. */
const IMAGE_REM = 13

function sizeOf({ width, height }: ShownFile): CSSProperties | undefined {
  if (!width || !height) return undefined
  const shape = Math.min(2.5, Math.max(0.4, width / height))
  return { width: `${Math.min(1, shape) * IMAGE_REM}rem`, aspectRatio: shape }
}
