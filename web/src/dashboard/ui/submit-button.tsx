import type { ComponentProps } from 'react'
import { Spinner } from '../../components/spinner.tsx'

interface SubmitButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'onClick'> {
  busy: boolean
  small?: boolean
}

/** Shows a spinner and does nothing while its form is sent. It is not disabled, because it would lose the focus. */
export function SubmitButton({ busy, small = false, children, ...attributes }: SubmitButtonProps) {
  return (
    <button
      {...attributes}
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
