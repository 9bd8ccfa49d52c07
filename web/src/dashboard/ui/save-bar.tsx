import { useRef } from 'react'
import { SubmitButton } from './submit-button.tsx'
import type { AdminForm } from './use-admin-form.ts'

interface SaveBarProps {
  form: Pick<AdminForm<object>, 'isDirty' | 'busy' | 'discardDraft'>
  saveLabel: string
}

/** Renders a long form's buttons, which stay at the foot of the page. */
export function SaveBar({ form: { isDirty, busy, discardDraft }, saveLabel }: SaveBarProps) {
  const bar = useRef<HTMLDivElement>(null)

  function handleDiscard(): void {
    discardDraft()
    // The button disappears.
    bar.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
  }

  return (
    <div className="save-bar" ref={bar}>
      <p role="status">{isDirty ? 'Unsaved changes' : ''}</p>
      <button
        type="button"
        className="button button-quiet"
        disabled={!isDirty || busy}
        onClick={handleDiscard}
      >
        Discard
      </button>
      <SubmitButton busy={busy}>{saveLabel}</SubmitButton>
    </div>
  )
}
