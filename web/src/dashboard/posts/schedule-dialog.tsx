import { POST_AHEAD_DAYS } from '@proctorpass/shared/limits'
import { type FormEvent, useState } from 'react'
import { serverNow } from '../../lib/server-clock.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'

const DAY_MS = 24 * 60 * 60_000

interface ScheduleDialogProps {
  onChoose: (publishAt: string) => void
  onCancel: () => void
}

/** Asks when a post is published. */
export function ScheduleDialog({ onChoose, onCancel }: ScheduleDialogProps) {
  const [now] = useState(serverNow)
  const [time, setTime] = useState(() => fieldTime(tomorrowMorning(now)))
  const [error, setError] = useState<string>()
  const latest = now + POST_AHEAD_DAYS * DAY_MS

  function handleSubmit(event: FormEvent): void {
    event.preventDefault()
    const chosen = new Date(time)
    if (Number.isNaN(chosen.getTime())) setError('Enter a date and time')
    else if (chosen.getTime() <= serverNow()) setError('Choose a time in the future')
    else if (chosen.getTime() > latest) setError('Choose a time within two years')
    else onChoose(chosen.toISOString())
  }

  return (
    <Dialog title="Schedule this post" onClose={onCancel}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <Field
          label="Publish at"
          hint={`In your time zone, ${new Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
          error={error}
        >
          {(shared) => (
            <input
              {...shared}
              type="datetime-local"
              value={time}
              min={fieldTime(new Date(now))}
              max={fieldTime(new Date(latest))}
              onChange={({ currentTarget }) => {
                setTime(currentTarget.value)
                setError(undefined)
              }}
            />
          )}
        </Field>
        <DialogEnd submitLabel="Schedule" onCancel={onCancel} />
      </form>
    </Dialog>
  )
}

function tomorrowMorning(now: number): Date {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 9)
}

/** Returns the value for a `datetime-local` field. */
function fieldTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
