import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Spinner } from '../../components/spinner.tsx'

interface DialogProps {
  title: string
  children: ReactNode
  onClose: () => void
  /** Cannot be closed while true. */
  busy?: boolean
}

/** A modal, open while it is rendered. */
export function Dialog({ title, children, onClose, busy = false }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser turns Escape into `cancel`
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!busy) onClose()
      }}
      // React bubbles through portals: a surrounding form must not submit.
      onSubmit={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current && !busy) onClose()
      }}
    >
      <div className="dialog-sheet">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

interface ConfirmDialogProps {
  title: string
  question: string
  confirmLabel: string
  cancelLabel?: string
  busy?: boolean
  onConfirm: () => void
  onCancel: () => void
}

export function ConfirmDialog({
  title,
  question,
  confirmLabel,
  cancelLabel = 'Cancel',
  busy = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onCancel} busy={busy}>
      <p>{question}</p>
      <div className="dialog-end">
        <button type="button" className="button button-quiet" disabled={busy} onClick={onCancel}>
          {cancelLabel}
        </button>
        <button type="button" className="button button-red" disabled={busy} onClick={onConfirm}>
          {busy && <Spinner />}
          {confirmLabel}
        </button>
      </div>
    </Dialog>
  )
}
