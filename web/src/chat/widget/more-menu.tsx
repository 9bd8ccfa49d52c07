import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { chatCopy } from '../../content/chat.ts'
import { aboutCopy } from '../../content/visitor-profile.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { setMuted, useMuted } from '../alerts/sounds.ts'
import { useConversation } from '../view/use-conversation.ts'
import { ExamForm } from './exam-form.tsx'
import type { MoreMenuProps } from './more.tsx'
import { forgetProfile } from './profile.ts'
import './more-menu.css'

/** The menu of the panel, open while it is rendered. */
export function MoreMenu({ chat, onClose }: MoreMenuProps) {
  const { conversation } = chat
  const { messages, pending } = useConversation(conversation)
  const muted = useMuted()
  const [asking, setAsking] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => menu.current?.querySelector('button')?.focus(), [])
  useLeave(menu, () => {
    if (!asking) onClose({ returnFocus: false })
  })
  const close = () => onClose({ returnFocus: true })

  async function erase() {
    close()
    if (!window.confirm(chatCopy.eraseQuestion)) return
    try {
      await conversation.erase()
      forgetProfile()
      toast.success(chatCopy.erased)
    } catch (error) {
      toast.error(errorMessage(error))
    }
  }

  if (asking) return <ExamForm chat={chat} onClose={close} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it, wherever the focus is in it
    <div
      ref={menu}
      className="chat-menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // The panel stays.
        event.preventDefault()
        close()
      }}
    >
      <button type="button" onClick={() => setAsking(true)}>
        {aboutCopy.title}
      </button>
      <button type="button" aria-pressed={muted} onClick={() => setMuted(!muted)}>
        Mute sounds
      </button>
      {(messages.length > 0 || pending.length > 0) && (
        <button type="button" onClick={erase}>
          Erase this conversation
        </button>
      )}
    </div>
  )
}

/** Calls `onLeave` when the focus or a press goes elsewhere. The button of the menu closes it itself. */
function useLeave(menu: React.RefObject<HTMLElement | null>, onLeave: () => void): void {
  const leave = useEffectEvent((event: Event) => {
    const { target } = event
    const button = menu.current?.previousElementSibling
    if (!(target instanceof Node) || menu.current?.contains(target) || button?.contains(target)) return
    onLeave()
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
