import { type ReactNode, useEffect, useRef } from 'react'
import { listen } from '../../lib/listen.ts'
import './chat-dialog.css'

interface ChatDialogProps {
  /** The heading's ID. */
  labelledBy: string
  busy: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal over the page, for the panel. Escape closes it while it is not busy. */
export function ChatDialog({ labelledBy, busy, onClose, children }: ChatDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  // The panel stays open, no matter where the focus is. The browser turns the key into `cancel`.
  useEffect(() => {
    const stop = (event: KeyboardEvent) => event.key === 'Escape' && event.stopImmediatePropagation()
    return listen(window, ['keydown'], stop, { capture: true })
  }, [])
  return (
    <dialog
      ref={dialog}
      className="chat-dialog"
      aria-labelledby={labelledBy}
      onCancel={(event) => {
        event.preventDefault()
        if (!busy) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
