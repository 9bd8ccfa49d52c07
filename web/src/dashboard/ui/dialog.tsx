import { X } from 'virtual:icons'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useCloseOnBack } from './use-close-on-back.ts'
import './dialog.css'

interface DialogProps {
  title: string
  children: ReactNode
  onClose: () => void
  /** While true, the dialog cannot be closed. */
  busy?: boolean
  /** The dialog opens beside this element if the screen is wide enough. */
  near?: HTMLElement | null | undefined
  /** Whether the dialog is a sheet at the side of the screen if the screen is wide enough. */
  isAtSide?: boolean
  /** Whether the dialog asks about leaving. Back then leaves the page even while the dialog is open. */
  asksAboutLeaving?: boolean
  /** Whether the dialog has no button to close it, because it is only a list of what to do next. */
  isPlain?: boolean
}

const MARGIN_PX = 8

/** Renders a modal dialog, which is open while it is rendered. */
export function Dialog({
  title,
  children,
  onClose,
  busy = false,
  near,
  isAtSide = false,
  asksAboutLeaving = false,
  isPlain = false,
}: DialogProps) {
  const id = useId()
  useCloseOnBack(!asksAboutLeaving, () => {
    if (!busy) onClose()
  })
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    if (element && near) placeBeside(element, near)
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [near])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser turns Escape into `cancel`
    <dialog
      ref={dialog}
      className={near ? 'dialog dialog-beside' : isAtSide ? 'dialog dialog-side' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!busy) onClose()
      }}
      // The browser has closed the dialog, because a page can prevent that only once. It is open again after the second
      // effect of React's strict mode.
      onClose={(event) => {
        if (event.target === dialog.current && !dialog.current.open) onClose()
      }}
      // React events bubble through portals, and a surrounding form must not submit.
      onSubmit={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current && !busy) onClose()
      }}
    >
      <div className="dialog-sheet">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {/* It is last, so that the dialog's first field, or Cancel, gets the focus. */}
      {!near && !isPlain && (
        <button
          type="button"
          className="icon-button dialog-close"
          aria-label="Close"
          disabled={busy}
          onClick={onClose}
        >
          <Icon of={X} />
        </button>
      )}
    </dialog>,
    document.body,
  )
}

/** Places the dialog below `near`, or above it if there is more room. The style sheet uses this on wide screens. */
function placeBeside(dialog: HTMLElement, near: HTMLElement): void {
  const { left, top, bottom } = near.getBoundingClientRect()
  const { width, height } = dialog.getBoundingClientRect()
  const { innerWidth, innerHeight } = window
  const fitsBelow = bottom + height + 2 * MARGIN_PX <= innerHeight || top < innerHeight - bottom
  const y = fitsBelow ? bottom + MARGIN_PX / 2 : top - height - MARGIN_PX / 2
  const within = (value: number, size: number, room: number) =>
    Math.max(MARGIN_PX, Math.min(value, room - size - MARGIN_PX))
  dialog.style.setProperty('--left', `${within(left, width, innerWidth)}px`)
  dialog.style.setProperty('--top', `${within(y, height, innerHeight)}px`)
}

interface ConfirmDialogProps {
  title: string
  question: string
  confirmLabel: string
  cancelLabel?: string
  busy?: boolean
  asksAboutLeaving?: boolean
  onConfirm: () => void
  onCancel: () => void
}

export function ConfirmDialog({
  title,
  question,
  confirmLabel,
  cancelLabel = 'Cancel',
  busy = false,
  asksAboutLeaving = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onCancel} busy={busy} asksAboutLeaving={asksAboutLeaving}>
      <p>{question}</p>
      <div className="dialog-end">
        <button type="button" className="button" disabled={busy} onClick={onCancel}>
          {cancelLabel}
        </button>
        <button type="button" className="button button-danger" disabled={busy} onClick={onConfirm}>
          {busy && <Spinner />}
          {confirmLabel}
        </button>
      </div>
    </Dialog>
  )
}
