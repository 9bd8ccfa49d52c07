import { SNOOZE_MAX_MS } from '@proctorpass/shared/limits'
import { type FormEvent, type ReactNode, useState } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { SubmitButton } from '../../ui/submit-button.tsx'
import { fieldTime, snoozePresets } from './snooze-presets.ts'
import { snoozeTime } from './snooze-times.ts'

interface SnoozeMenuProps {
  title?: string
  near?: HTMLElement | null
  /** While true, the chosen time is being stored. */
  busy?: boolean
  /** Why the chosen time was refused. */
  problem?: string | undefined
  /** Shown below the times. */
  children?: ReactNode
  /** An ISO time. */
  onChoose: (until: string) => void
  onClose: () => void
}

/** Asks for a time within 90 days. */
export function SnoozeMenu({
  title = 'Snooze',
  near,
  busy = false,
  problem,
  children,
  onChoose,
  onClose,
}: SnoozeMenuProps) {
  const [now] = useState(serverNow)
  const [own, setOwn] = useState('')
  const [error, setError] = useState<string>()

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const until = new Date(own)
    if (Number.isNaN(until.getTime())) setError('Enter a date and time')
    else if (until.getTime() <= serverNow()) setError('Choose a time in the future')
    else if (until.getTime() > serverNow() + SNOOZE_MAX_MS) setError('Choose a time within 90 days')
    else onChoose(until.toISOString())
  }

  return (
    <Dialog title={title} near={near} busy={busy} onClose={onClose}>
      <ChoiceList
        choices={snoozePresets(now).map(({ label, until }) => ({
          id: until.toISOString(),
          label,
          detail: snoozeTime(until.toISOString(), now).replace('tomorrow, ', ''),
        }))}
        onChoose={onChoose}
      />
      <form className="dialog-form snooze-form" noValidate onSubmit={handleSubmit}>
        <Field label="Date and time" error={error}>
          {(shared) => (
            <input
              {...shared}
              type="datetime-local"
              value={own}
              min={fieldTime(new Date(now))}
              max={fieldTime(new Date(now + SNOOZE_MAX_MS))}
              onChange={(event) => {
                setOwn(event.target.value)
                setError(undefined)
              }}
            />
          )}
        </Field>
        {children}
        {problem !== undefined && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <SubmitButton busy={busy}>{title}</SubmitButton>
      </form>
    </Dialog>
  )
}
