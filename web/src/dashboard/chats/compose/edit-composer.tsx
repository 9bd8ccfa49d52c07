import { AppError } from '@proctorpass/shared/errors'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { type Ref, useEffect, useRef, useState } from 'react'
import { newNonce } from '../../../chat/engine/outbox.ts'
import { Composer, type ComposerHandle } from '../../../chat/view/composer.tsx'
import { prefillDraft, writeMessageDraft } from '../../../chat/view/message-draft.ts'
import { toast } from '../../../components/toast.ts'
import { handleFormatKey } from '../../ui/format-keys.ts'
import { isComposing } from '../../ui/use-listbox.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'

interface EditComposerProps {
  message: Message
  /** Called when the new words are stored, or the admin leaves the box with Escape. */
  onDone: () => void
  ref?: Ref<ComposerHandle>
}

/** Renders the box in which an admin corrects a message. */
export function EditComposer({ message, onDone, ref }: EditComposerProps) {
  const { chat } = useAdminChat()
  const [draftKey] = useState(() => `edit-draft:${message._id}`)
  const [isSaving, setSaving] = useState(false)
  /** The last attempt. The same text keeps its nonce, because its answer may have been lost. */
  const attempt = useRef({ text: '', nonce: '' })
  // The composer reads its draft when it is rendered.
  useState(() => writeMessageDraft(draftKey, message.message))
  useEffect(() => () => writeMessageDraft(draftKey, ''), [draftKey])

  async function save(text: string): Promise<void> {
    if (attempt.current.text !== text) attempt.current = { text, nonce: newNonce() }
    setSaving(true)
    try {
      await chat.edit(message, attempt.current.nonce, text)
      onDone()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      toast.error(error.message)
      prefillDraft(draftKey, text)
      setSaving(false)
    }
  }

  return (
    <Composer
      ref={ref}
      draftKey={draftKey}
      sending={isSaving}
      sendLabel="Save"
      onTyping={() => {}}
      onSend={(text) => void save(text)}
      boxProps={{
        'aria-label': 'Edit message',
        onKeyDown(event) {
          if (isComposing(event)) return
          handleFormatKey(event)
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          onDone()
        },
      }}
    />
  )
}
