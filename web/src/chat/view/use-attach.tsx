import { type ReactNode, type RefObject, useRef } from 'react'
import type { PendingAttachment } from '../engine/attachments.ts'
import type { Conversation } from '../engine/types.ts'
import { useLoaded } from './use-loaded.ts'

/** The files beside a message box. */
export interface AttachedFiles {
  /** A text while they cannot be sent. */
  files(): readonly PendingAttachment[] | string
  /** They are in the outbox. */
  clear(): void
}

/** For a message box: what attaches files, and those that are attached. */
export interface Attach {
  node: ReactNode
  attached: RefObject<AttachedFiles | null>
}

const load = () => import('./attachments/attach-button.tsx')

/** `notice` is what a visitor agrees to before the first file: empty for nothing, null where no files can be sent. */
export function useAttach(
  { openAttachments }: Conversation,
  notice: string | null,
  draftKey: string,
): Attach {
  const attached = useRef<AttachedFiles>(null)
  const module = useLoaded(load, notice !== null)
  return {
    attached,
    node: module && notice !== null && (
      <module.AttachButton
        ref={attached}
        openAttachments={openAttachments}
        notice={notice}
        draftKey={draftKey}
      />
    ),
  }
}
