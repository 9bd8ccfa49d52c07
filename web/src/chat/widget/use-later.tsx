import { Ellipsis } from 'virtual:icons'
import panel from 'virtual:words/panel'
import type { ChatState } from '@proctorpass/shared/schemas/config'
import { type ReactNode, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { useConversation } from '../view/use-conversation.ts'
import { useLoaded } from '../view/use-loaded.ts'
import { chatToast } from './chat-toast.ts'

export const loadLater = () => import('./later.ts')

/** The menu's button. The menu is loaded on first use. */
export function More({ chat }: { chat: VisitorChat }) {
  const words = useWords('panel', panel)
  const [menu, setMenu] = useState<ReactNode>(null)
  const button = useRef<HTMLButtonElement>(null)

  async function toggle() {
    if (menu) return setMenu(null)
    try {
      const { MoreMenu } = await loadLater()
      setMenu(<MoreMenu chat={chat} button={button} onClose={() => setMenu(null)} />)
    } catch {
      chatToast('error', words.loadFailed)
    }
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={words.more}
        aria-expanded={menu !== null}
        onClick={toggle}
      >
        <Icon of={Ellipsis} large />
      </button>
      {menu}
    </>
  )
}

/** Returns the rating while the server asks for it, and then the thanks until the next message. */
export function useRating(chat: VisitorChat): ReactNode {
  const { ask, messages } = useConversation(chat.conversation)
  const newest = messages.at(-1)?.seq
  const [ratedAt, setRatedAt] = useState<number>()
  const shown = newest !== undefined && (ask === 'rating' || ratedAt === newest)
  const part = useLoaded(loadLater, shown)
  return (
    shown && part && <part.Rating chat={chat} rated={ratedAt === newest} onRated={() => setRatedAt(newest)} />
  )
}

/** Tells a visitor who has written that answers are mailed, if the server mails them. */
export function useAnswerByMail(chat: VisitorChat, state: ChatState | null, away: boolean): ReactNode {
  const [first] = useConversation(chat.conversation).messages
  const shown = state?.mail === true && first !== undefined
  const part = useLoaded(loadLater, shown)
  return shown && part && <part.AnswerByMail key={first.epoch} chat={chat} epoch={first.epoch} away={away} />
}
