import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { toast } from '../../../components/toast.ts'
import { afterClosing } from '../../../lib/back-closes.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { saveJson } from '../../../lib/save-file.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'

/** Saves a conversation and its visitor's data as a file. */
export async function downloadConversation(clientId: string): Promise<void> {
  try {
    saveJson(await callAsAdmin<ConversationExport>(paths.conversationExport(clientId)), `${clientId}.json`)
  } catch (error) {
    toast.error(errorMessage(error))
  }
}

interface EraseDialogProps {
  clientId: string
  onClose: () => void
  onErased: () => void
}

/** Asks first, and then erases the conversation. It is open while it is rendered. */
export function EraseDialog({ clientId, onClose, onErased }: EraseDialogProps) {
  const [busy, setBusy] = useState(false)

  async function erase(): Promise<void> {
    setBusy(true)
    try {
      await callAsAdmin(adminPaths.adminConversation(clientId), { method: 'DELETE' })
      toast.success('Conversation erased')
      flushSync(onClose)
      afterClosing(onErased)
    } catch (error) {
      toast.error(errorMessage(error))
      onClose()
    }
  }

  return (
    <ConfirmDialog
      title="Erase this conversation?"
      question={
        'This deletes all messages, files, notes, history, ratings, and visitor details ' +
        "for everyone. This can't be undone. Existing backups still contain it. A block stays in place."
      }
      confirmLabel="Erase"
      busy={busy}
      onConfirm={() => void erase()}
      onCancel={onClose}
    />
  )
}
