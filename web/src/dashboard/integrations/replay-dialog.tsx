import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { Endpoint, Queued, Replay } from '@proctorpass/shared/schemas/endpoint'
import type { EventPage } from '@proctorpass/shared/schemas/event'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { FormDialog, TextField } from '../ui/admin-form.tsx'
import { refusal, useAdminForm } from '../ui/use-admin-form.ts'

const EVENT_NUMBER = {
  problem: (value: number) =>
    Number.isSafeInteger(value) && value > 0 ? null : 'Enter the number of an event',
}

/** Posts events again that an endpoint has lost. */
export function ReplayDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const form = useAdminForm<Replay>({
    defaultValues: { from: undefined, to: undefined },
    async send(body) {
      const path = integrationPaths.endpointReplay(endpoint._id)
      const { queued } = await callAsAdmin<Queued>(path, { method: 'POST', body })
      if (queued === 0) throw refusal('from', 'There are no events with these numbers yet')
      onClose()
      return queued === 1 ? '1 event will be sent again' : `${queued} events will be sent again`
    },
  })
  const { data } = useQuery({
    queryKey: ['events-last'],
    queryFn: ({ signal }) => callAsAdmin<EventPage>(`${integrationPaths.events}?limit=1`, { signal }),
    staleTime: 0,
  })
  const [oldest] = data?.events ?? []
  const number = {
    form,
    rule: EVENT_NUMBER,
    options: { valueAsNumber: true },
    type: 'number',
    min: 1,
    inputMode: 'numeric',
  } as const
  return (
    <FormDialog
      title={`Replay events to ${endpoint.name}`}
      form={form}
      submitLabel="Replay"
      onClose={onClose}
    >
      <p>
        Each event has a number, which its deliveries and requests show.
        {oldest !== undefined && ` Events ${oldest.id} to ${data?.last} are stored.`}
      </p>
      <TextField {...number} name="from" label="From number" />
      <TextField {...number} name="to" label="To number" />
    </FormDialog>
  )
}
