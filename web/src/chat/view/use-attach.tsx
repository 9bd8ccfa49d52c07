import { type ReactNode, type RefObject, useRef } from 'react'
import type { PendingAttachment } from '../engine/attachments.ts'
import type { Conversation } from '../engine/types.ts'
import { useLoaded } from './use-loaded.ts'

/** The files beside a message box. */
export interface AttachedFiles {
  /** Returns the files, or a text if they cannot be sent now. */
  files(): readonly PendingAttachment[] | string
  /** Call this when the files are in the outbox. */
  clear(): void
}

/** The parts of a message box that attach files and show the attached ones. */
export interface Attach {
  node: ReactNode
  attached: RefObject<AttachedFiles | null>
}

const load = () => import('./attachments/attach-button.tsx')

/**
 * Returns the parts for a message box. `notice` is what a visitor agrees to before the first file: empty if there is
 * nothing to agree to, null if no files can be sent.
 */
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
