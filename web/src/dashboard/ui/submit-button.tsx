import type { ReactNode } from 'react'
import { Spinner } from '../../components/spinner.tsx'

interface SubmitButtonProps {
  busy: boolean
  small?: boolean
  children: ReactNode
}

/** Shows a spinner and cannot be pressed while its form is being sent. */
export function SubmitButton({ busy, small = false, children }: SubmitButtonProps) {
  return (
    <button type="submit" className={small ? 'button button-small' : 'button'} disabled={busy}>
      {busy && <Spinner />}
      {children}
    </button>
  )
}
