import later from 'virtual:words/later'
import { useId, useState } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { ChatDialog } from './chat-dialog.tsx'
import { chatToast } from './chat-toast.ts'
import { failureText } from './failure-text.ts'
import { forgetProfile } from './profile/profile.ts'

/** Asks before the conversation is erased, for both sides. */
export function EraseDialog({ chat, onClose }: { chat: VisitorChat; onClose: () => void }) {
  const id = useId()
  const words = useWords('later', later)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function erase(): Promise<void> {
    setBusy(true)
    setFailure(null)
    try {
      await chat.conversation.erase()
      forgetProfile()
      chatToast('success', words.erased)
      onClose()
    } catch (error) {
      setFailure(failureText(error, words))
      setBusy(false)
    }
  }

  return (
    <ChatDialog labelledBy={id} busy={busy} onClose={onClose}>
      <div className="chat-dialog-body">
        <h2 id={id}>{words.eraseTitle}</h2>
        <p>{words.eraseText}</p>
        <p className="field-error" role="alert">
          {failure}
        </p>
        <div className="chat-dialog-end">
          {/* This button is first, so that it has the focus. */}
          <button type="button" className="button" disabled={busy} onClick={onClose}>
            {words.cancel}
          </button>
          <button type="button" className="button button-danger" disabled={busy} onClick={erase}>
            {words.eraseConfirm}
          </button>
        </div>
      </div>
    </ChatDialog>
  )
}
