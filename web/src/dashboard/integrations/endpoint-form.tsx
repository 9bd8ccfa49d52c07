import { ENDPOINT_URL_FIELD } from '@proctorpass/shared/fields/endpoint'
import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type {
  Endpoint,
  EndpointChange,
  EndpointList,
  EndpointSecret,
  NewEndpoint,
} from '@proctorpass/shared/schemas/endpoint'
import type { EventType } from '@proctorpass/shared/schemas/event'
import { useQueryClient } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { FormDialog, TextField } from '../ui/admin-form.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { CheckboxGroup } from './checkbox-group.tsx'
import { ENDPOINTS } from './queries.ts'

const TYPE_LABELS: Record<EventType, string> = {
  'conversation.created': 'A conversation started',
  'conversation.changed': 'The status, assignee, or labels changed',
  'message.created': 'A message was sent',
  'message.edited': 'A message was edited',
  'note.created': 'A note was written',
  'rating.created': 'A visitor left a rating',
  'conversation.erased': 'A conversation was erased',
  'contact.created': 'A contact message arrived',
  'review.created': 'A review was submitted',
}
const EVENT_TYPES = Object.keys(TYPE_LABELS) as EventType[]

interface Values {
  name: string
  url: string
  types: EventType[]
  notes: boolean
}

interface EndpointFormProps {
  /** Null adds a new one. */
  endpoint: Endpoint | null
  onClose: () => void
  onAdded: (made: EndpointSecret) => void
}

const valuesOf = (endpoint: Endpoint | null): Values => ({
  name: endpoint?.name ?? '',
  url: endpoint?.url ?? '',
  // An endpoint without types takes all of them.
  types: endpoint === null || endpoint.types.length === 0 ? EVENT_TYPES : endpoint.types,
  notes: endpoint?.notes ?? false,
})

/** Adds or changes an endpoint. */
export function EndpointForm({ endpoint, onClose, onAdded }: EndpointFormProps) {
  const queryClient = useQueryClient()
  const form = useAdminForm<Values, Endpoint>({
    defaultValues: valuesOf(endpoint),
    stored: endpoint && { version: endpoint.version, read: () => readEndpoint(endpoint._id), valuesOf },
    async send({ types: chosen, ...fields }, version) {
      const body: NewEndpoint = { ...fields, types: chosen.length === EVENT_TYPES.length ? [] : chosen }
      if (endpoint === null) {
        onAdded(await callAsAdmin<EndpointSecret>(integrationPaths.endpoints, { method: 'POST', body }))
      } else {
        const change: EndpointChange = { ...body, version }
        await callAsAdmin(integrationPaths.endpoint(endpoint._id), { method: 'PATCH', body: change })
      }
      await queryClient.invalidateQueries({ queryKey: ENDPOINTS })
      onClose()
      return 'Endpoint saved'
    },
  })
  return (
    <FormDialog
      title={endpoint === null ? 'Add endpoint' : 'Edit endpoint'}
      form={form}
      submitLabel="Save"
      onClose={onClose}
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Only your team sees it."
        rule={INTEGRATION_NAME_FIELD}
        type="text"
        autoComplete="off"
      />
      <TextField
        form={form}
        name="url"
        label="URL"
        hint="For example, https://crm.example.com/chat-events"
        rule={ENDPOINT_URL_FIELD}
        type="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <CheckboxGroup
        legend="Events"
        labels={TYPE_LABELS}
        field={form.form.register('types', {
          validate: (chosen) => chosen.length > 0 || 'Choose at least one event',
        })}
        error={form.errorOf('types')}
      />
      <label className="checkbox">
        <input type="checkbox" {...form.form.register('notes')} />
        Include the text of notes, which visitors never see
      </label>
      {form.conflict && (
        <Conflict what="this endpoint" inDialog {...form.conflict}>
          <p>
            Saved version: {form.conflict.other.name}, {form.conflict.other.url}
          </p>
        </Conflict>
      )}
    </FormDialog>
  )
}

async function readEndpoint(id: string): Promise<Endpoint | null> {
  const { endpoints } = await callAsAdmin<EndpointList>(integrationPaths.endpoints)
  return endpoints.find(({ _id }) => _id === id) ?? null
}
