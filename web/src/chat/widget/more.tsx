import { type ReactNode, useRef, useState } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { panel } from '../words/en.ts?panel'
import { chatToast } from './chat-toast.ts'

/** The button of the menu, which is loaded on its first use. */
export function More({ chat }: { chat: VisitorChat }) {
  const words = useWords('panel', panel)
  const [menu, setMenu] = useState<ReactNode>(null)
  const button = useRef<HTMLButtonElement>(null)

  async function toggle() {
    if (menu) return setMenu(null)
    try {
      const { MoreMenu } = await import('./later.ts')
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
        className="chat-icon-button"
        aria-label={words.more}
        aria-expanded={menu !== null}
        onClick={toggle}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth="3" />
        </svg>
      </button>
      {menu}
    </>
  )
}
