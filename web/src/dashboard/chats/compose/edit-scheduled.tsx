import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import { SCHEDULE_MAX_MS } from '@proctorpass/shared/limits'
import type { PatchScheduled, PostedScheduled, Scheduled } from '@proctorpass/shared/schemas/scheduled'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogEnd } from '../../ui/dialog-end.tsx'
import { Field } from '../../ui/field.tsx'
import { fieldTime } from '../changes/snooze-presets.ts'
import { scheduledQuery } from '../live/scheduled.ts'
import { SendAnyway } from './send-anyway.tsx'

interface EditScheduledProps {
  /** The message as it was when the dialog opened, or as another admin has changed it since. */
  scheduled: Scheduled
  onClose: () => void
}

type Errors = { message?: string | undefined; sendAt?: string | undefined; other?: string }

/** Changes a scheduled message's words and time. */
export function EditScheduled({ scheduled, onClose }: EditScheduledProps) {
  const queryClient = useQueryClient()
  const [before] = useState(scheduled)
  const [message, setMessage] = useState(before.message)
  const [time, setTime] = useState(fieldTime(new Date(before.sendAt)))
  const [anyway, setAnyway] = useState(before.anyway)
  const [errors, setErrors] = useState<Errors>({})
  const [busy, setBusy] = useState(false)

  async function handleSubmit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const at = new Date(time)
    if (Number.isNaN(at.getTime())) return setErrors({ sendAt: 'Enter a date and time' })
    const { _id, clientId, version } = before
    // The field has no seconds, so an unchanged time stays as it is.
    const isMoved = time !== fieldTime(new Date(before.sendAt))
    const body: PatchScheduled = {
      ...{ version, anyway },
      ...(message !== before.message && { message }),
      ...(isMoved && { sendAt: at.toISOString() }),
    }
    setBusy(true)
    try {
      const path = adminPaths.scheduled(clientId, _id)
      const { data } = await callAsAdmin<PostedScheduled>(path, { method: 'PATCH', body })
      queryClient.setQueryData(
        scheduledQuery(clientId).queryKey,
        (list) => list && { scheduled: list.scheduled.map((each) => (each._id === _id ? data : each)) },
      )
      void queryClient.invalidateQueries(scheduledQuery(clientId))
      onClose()
    } catch (error) {
      setBusy(false)
      setErrors(errorsOf(error))
      void queryClient.invalidateQueries(scheduledQuery(clientId))
    }
  }

  return (
    <Dialog title="Edit scheduled message" busy={busy} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <Field label="Message" error={errors.message}>
          {(shared) => (
            <textarea
              {...shared}
              rows={4}
              dir="auto"
              value={message}
              onChange={(event) => {
                setMessage(event.target.value)
                setErrors({})
              }}
            />
          )}
        </Field>
        <Field label="Date and time" error={errors.sendAt}>
          {(shared) => (
            <input
              {...shared}
              type="datetime-local"
              value={time}
              min={fieldTime(new Date(serverNow()))}
              max={fieldTime(new Date(serverNow() + SCHEDULE_MAX_MS))}
              onChange={(event) => {
                setTime(event.target.value)
                setErrors({})
              }}
            />
          )}
        </Field>
        <SendAnyway checked={anyway} onChange={setAnyway} />
        {errors.other && (
          <p className="field-error" role="alert">
            {errors.other}
          </p>
        )}
        <DialogEnd submitLabel="Save" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function errorsOf(error: unknown): Errors {
  const details = error instanceof AppError ? error.details : undefined
  const of = (field: string) => details?.find((each) => each.field === field)?.message
  const [message, sendAt] = [of('message'), of('sendAt')]
  return message || sendAt ? { message, sendAt } : { other: (error as Error).message }
}
