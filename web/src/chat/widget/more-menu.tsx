import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { aboutCopy, menuCopy } from '../../content/chat-menu.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { setMuted, useMuted } from '../alerts/sounds.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { useConversation } from '../view/use-conversation.ts'
import { ExamForm } from './exam-form.tsx'
import { forgetProfile } from './profile.ts'
import './more-menu.css'

interface MoreMenuProps {
  chat: VisitorChat
  /** Opens and closes the menu, and gets the focus back. */
  button: RefObject<HTMLElement | null>
  onClose: () => void
}

/** The menu of the panel, open while it is rendered. */
export function MoreMenu({ chat, button, onClose }: MoreMenuProps) {
  const { conversation } = chat
  const { messages, pending } = useConversation(conversation)
  const muted = useMuted()
  const [asking, setAsking] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const left = useRef(false)
  useEffect(() => {
    menu.current?.querySelector('button')?.focus()
    // Once it is gone: a modal makes the button inert.
    return () => {
      if (!left.current) button.current?.focus()
    }
  }, [button])
  useLeave([menu, button], () => {
    if (asking) return
    left.current = true
    onClose()
  })

  async function erase() {
    onClose()
    if (!window.confirm(menuCopy.eraseQuestion)) return
    try {
      await conversation.erase()
      forgetProfile()
      toast.success(menuCopy.erased)
    } catch (error) {
      toast.error(errorMessage(error))
    }
  }

  if (asking) return <ExamForm chat={chat} onClose={onClose} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it, wherever the focus is in it
    <div
      ref={menu}
      className="chat-menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // The panel stays.
        event.preventDefault()
        onClose()
      }}
    >
      <button type="button" onClick={() => setAsking(true)}>
        {aboutCopy.title}
      </button>
      <button type="button" aria-pressed={muted} onClick={() => setMuted(!muted)}>
        {menuCopy.mute}
      </button>
      {(messages.length > 0 || pending.length > 0) && (
        <button type="button" onClick={erase}>
          {menuCopy.erase}
        </button>
      )}
    </div>
  )
}

/** Calls `onLeave` when the focus or a press leaves them. */
function useLeave(parts: RefObject<HTMLElement | null>[], onLeave: () => void): void {
  const leave = useEffectEvent(({ target }: Event) => {
    if (target instanceof Node && !parts.some((part) => part.current?.contains(target))) onLeave()
  })
  useEffect(() => {
    const listener = (event: Event) => leave(event)
    document.addEventListener('pointerdown', listener)
    document.addEventListener('focusin', listener)
    return () => {
      document.removeEventListener('pointerdown', listener)
      document.removeEventListener('focusin', listener)
    }
  }, [])
}
