import type { ReactNode } from 'react'
import { SubmitButton } from './submit-button.tsx'

interface DialogEndProps {
  submitLabel: string
  onCancel: () => void
  cancelLabel?: string
  busy?: boolean
  /** Rendered between the two buttons. */
  children?: ReactNode
}

/** Renders the buttons at the end of a form in a dialog. */
export function DialogEnd({
  submitLabel,
  onCancel,
  cancelLabel = 'Cancel',
  busy = false,
  children,
}: DialogEndProps) {
  return (
    <div className="dialog-end">
      <button type="button" className="button" disabled={busy} onClick={onCancel}>
        {cancelLabel}
      </button>
      {children}
      <SubmitButton busy={busy}>{submitLabel}</SubmitButton>
    </div>
  )
}
