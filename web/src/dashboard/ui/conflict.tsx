import { AppError } from '@proctorpass/shared/errors'
import { type ReactNode, useEffect, useId, useRef } from 'react'

/** Returns whether another admin has saved a newer version in the meantime. */
export function isVersionConflict(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.some(({ field }) => field === 'version') === true
}

interface ConflictProps {
  /** Names the edited thing in a sentence, such as "this post". */
  what: string
  /** What the form's button does. */
  verb?: string
  /** Whether it is in a dialog, below the dialog's heading. */
  inDialog?: boolean
  /** What another admin saved. */
  children: ReactNode
  onKeepMine: () => void
  onTakeOther: () => void
}

/** Shows what another admin has saved in the meantime, below the unchanged form, and asks which version to keep. */
export function Conflict({
  what,
  verb = 'save',
  inDialog = false,
  children,
  onKeepMine,
  onTakeOther,
}: ConflictProps) {
  const id = useId()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    section.current?.focus()
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const Heading = inDialog ? 'h3' : 'h2'
  return (
    <section ref={section} className="conflict" aria-labelledby={id} tabIndex={-1}>
      <Heading id={id}>Someone else saved {what} while you were editing</Heading>
      {children}
      <p>To replace the saved version, keep yours and {verb} again. Or continue with the saved version.</p>
      <div className="form-end">
        <button type="button" className="button" onClick={onTakeOther}>
          Use saved version
        </button>
        <button type="button" className="button button-primary" onClick={onKeepMine}>
          Keep mine
        </button>
      </div>
    </section>
  )
}
