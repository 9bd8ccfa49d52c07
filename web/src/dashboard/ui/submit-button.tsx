import type { ComponentProps } from 'react'
import { Spinner } from '../../components/spinner.tsx'

interface SubmitButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'onClick'> {
  busy: boolean
  /** Whether another button is the page's main one. */
  isPlain?: boolean
}

/** Shows a spinner and does nothing while its form is sent. It is not disabled, because it would lose the focus. */
export function SubmitButton({ busy, isPlain = false, children, ...attributes }: SubmitButtonProps) {
  return (
    <button
      {...attributes}
      type="submit"
      className={isPlain ? 'button' : 'button button-primary'}
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
