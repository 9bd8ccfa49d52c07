import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { Endpoint, Queued, Replay } from '@proctorpass/shared/schemas/endpoint'
import type { EventPage } from '@proctorpass/shared/schemas/event'
import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'

/** Posts events again that an endpoint has lost. */
export function ReplayDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const form = useForm<Replay>()
  const { errors, isSubmitting } = form.formState
  const { data } = useQuery({
    queryKey: ['events-last'],
    queryFn: ({ signal }) => callAsAdmin<EventPage>(`${integrationPaths.events}?limit=1`, { signal }),
    staleTime: 0,
  })
  const [oldest] = data?.events ?? []

  async function handleValid(body: Replay): Promise<void> {
    try {
      const path = integrationPaths.endpointReplay(endpoint._id)
      const { queued } = await callAsAdmin<Queued>(path, { method: 'POST', body })
      if (queued === 0) {
        form.setError('from', { message: 'There are no such events yet' }, { shouldFocus: true })
        return
      }
      toast.success(queued === 1 ? 'One event is sent again' : `${queued} events are sent again`)
      onClose()
    } catch (error) {
      refusedFields(error, ['from', 'to']).forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      toast.error(errorMessage(error))
    }
  }

  const isId = (value: number) => (Number.isSafeInteger(value) && value > 0) || 'Enter the number of an event'
  const number = { valueAsNumber: true, validate: isId } as const
  return (
    <Dialog title={`Replay events to ${endpoint.name}`} onClose={onClose} busy={isSubmitting}>
      <form
        className="dialog-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        <p>
          Events have numbers, which the deliveries and the endpoint show.
          {oldest !== undefined && ` There are ${oldest.id} to ${data?.last}.`}
        </p>
        <Field label="From number" error={errors.from?.message}>
          {(shared) => (
            <input {...shared} {...form.register('from', number)} type="number" min={1} inputMode="numeric" />
          )}
        </Field>
        <Field label="To number" error={errors.to?.message}>
          {(shared) => (
            <input {...shared} {...form.register('to', number)} type="number" min={1} inputMode="numeric" />
          )}
        </Field>
        <DialogEnd submitLabel="Replay" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
