import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { chatCopy } from '../../content/chat.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { setMuted, useMuted } from '../alerts/sounds.ts'
import type { Conversation } from '../engine/types.ts'

export function EraseButton({ conversation }: { conversation: Conversation }) {
  const [busy, setBusy] = useState(false)
  const erase = async () => {
    if (!window.confirm(chatCopy.eraseQuestion)) return
    setBusy(true)
    try {
      await conversation.erase()
      toast.success(chatCopy.erased)
    } catch (error) {
      toast.error(errorMessage(error))
    }
    setBusy(false)
  }
  return (
    <button
      type="button"
      className="chat-icon-button"
      aria-label="Erase this conversation"
      disabled={busy}
      onClick={erase}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12" />
      </svg>
    </button>
  )
}

export function MuteButton() {
  const muted = useMuted()
  return (
    <button
      type="button"
      className="chat-icon-button"
      aria-label="Mute sounds"
      aria-pressed={muted}
      onClick={() => setMuted(!muted)}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 9.500h3.500L12 6v12l-4.500-3.500H4z" />
        {muted ? (
          <path d="M16 9.500l5 5m0-5l-5 5" />
        ) : (
          <path d="M15.500 9a4.500 4.500 0 0 1 0 6m2.500-8.500a8 8 0 0 1 0 11" />
        )}
      </svg>
    </button>
  )
}
