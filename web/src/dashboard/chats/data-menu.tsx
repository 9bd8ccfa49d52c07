import { paths } from '@proctorpass/shared/paths'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { ChoiceList } from './choice-list.tsx'
import './menus.css'

interface DataMenuProps {
  clientId: string
  near?: HTMLElement | null
  onClose: () => void
  onErased: () => void
}

const CHOICES = [
  { id: 'download', label: 'Download conversation' },
  { id: 'erase', label: 'Erase conversation' },
]

/** What the visitor may ask for: a copy of the conversation, or its end. Open while it is rendered. */
export function DataMenu({ clientId, near, onClose, onErased }: DataMenuProps) {
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)

  async function download(): Promise<void> {
    onClose()
    try {
      saveAs(await callAsAdmin<ConversationExport>(paths.conversationExport(clientId)), `${clientId}.json`)
    } catch (error) {
      toast.error(errorMessage(error))
    }
  }

  async function erase(): Promise<void> {
    setBusy(true)
    try {
      await callAsAdmin(paths.adminConversation(clientId), { method: 'DELETE' })
      toast.success('Conversation erased')
      onErased()
    } catch (error) {
      toast.error(errorMessage(error))
    }
    onClose()
  }

  if (asks) {
    return (
      <ConfirmDialog
        title="Erase this conversation?"
        question={
          'This deletes all messages and files, notes and history, ratings, and what is known about the visitor, ' +
          "for everyone. You can't undo it. Backups made before still contain them. A block stays."
        }
        confirmLabel="Erase"
        busy={busy}
        onConfirm={() => void erase()}
        onCancel={onClose}
      />
    )
  }
  return (
    <Dialog title="More" near={near ?? null} onClose={onClose}>
      <ChoiceList choices={CHOICES} onChoose={(id) => (id === 'erase' ? setAsks(true) : void download())} />
    </Dialog>
  )
}

function saveAs(content: object, name: string): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
