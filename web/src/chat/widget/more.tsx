import { type ComponentType, useEffect, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import type { VisitorChat } from '../engine/chat.ts'

export interface MoreMenuProps {
  chat: VisitorChat
  /** `returnFocus`: to the button. */
  onClose: (options: { returnFocus: boolean }) => void
}

const load = () => import('./more-menu.tsx')

/** The button of the menu, which is loaded on its first use. */
export function More({ chat }: { chat: VisitorChat }) {
  const [Menu, setMenu] = useState<ComponentType<MoreMenuProps> | null>(null)
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const returnFocus = useRef(false)
  // In an effect: a modal makes the button inert until it is gone.
  useEffect(() => {
    if (!open && returnFocus.current) button.current?.focus()
    returnFocus.current = false
  }, [open])

  async function handleClick() {
    setOpen(!open)
    try {
      const { MoreMenu } = await load()
      setMenu(() => MoreMenu)
    } catch {
      setOpen(false)
      toast.error("The menu couldn't be loaded. Try again.")
    }
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="chat-icon-button"
        aria-label="More"
        aria-expanded={open}
        onPointerDown={() => void load().catch(() => {})}
        onClick={handleClick}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth="3" />
        </svg>
      </button>
      {open && Menu && (
        <Menu
          chat={chat}
          onClose={(options) => {
            returnFocus.current = options.returnFocus
            setOpen(false)
          }}
        />
      )}
    </>
  )
}
