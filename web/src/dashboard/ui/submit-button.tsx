import type { ReactNode } from 'react'
import { Spinner } from '../../components/spinner.tsx'

interface SubmitButtonProps {
  busy: boolean
  small?: boolean
  children: ReactNode
}

/** Shows a spinner and does nothing while its form is being sent. Not disabled: it would lose the focus. */
export function SubmitButton({ busy, small = false, children }: SubmitButtonProps) {
  return (
    <button
      type="submit"
      className={small ? 'button button-small' : 'button'}
      aria-disabled={busy}
      onClick={(event) => {
        if (busy) event.preventDefault()
      }}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
