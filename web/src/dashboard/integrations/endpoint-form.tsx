import { ENDPOINT_URL_FIELD } from '@proctorpass/shared/fields/endpoint'
import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type {
  Endpoint,
  EndpointChange,
  EndpointSecret,
  NewEndpoint,
} from '@proctorpass/shared/schemas/endpoint'
import { EVENT_TYPES, type EventType } from '@proctorpass/shared/schemas/event'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { isVersionConflict } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { CheckboxGroup } from './checkbox-group.tsx'
import { ENDPOINTS } from './queries.ts'

const TYPE_LABELS: Record<EventType, string> = {
  'conversation.created': 'A conversation began',
  'conversation.changed': 'Status, assignee or labels changed',
  'message.created': 'A message was sent',
  'note.created': 'A note was written',
  'rating.created': 'A visitor rated',
  'conversation.erased': 'A conversation was erased',
  'contact.created': 'A contact message arrived',
  'review.created': 'A review was submitted',
}

interface Values {
  name: string
  url: string
  types: EventType[]
  notes: boolean
}

interface EndpointFormProps {
  /** Null: a new one. */
  endpoint: Endpoint | null
  onClose: () => void
  onAdded: (made: EndpointSecret) => void
}

/** Adds or changes an endpoint. */
export function EndpointForm({ endpoint, onClose, onAdded }: EndpointFormProps) {
  const queryClient = useQueryClient()
  // No type is stored as none, and means all of them.
  const types = endpoint === null || endpoint.types.length === 0 ? [...EVENT_TYPES] : endpoint.types
  const form = useForm<Values>({
    defaultValues: {
      ...{ name: endpoint?.name ?? '', url: endpoint?.url ?? '' },
      ...{ types, notes: endpoint?.notes ?? false },
    },
  })
  const [stale, setStale] = useState(false)
  const { errors, isSubmitting } = form.formState

  async function handleValid({ types: chosen, ...fields }: Values): Promise<void> {
    const body: NewEndpoint = { ...fields, types: chosen.length === EVENT_TYPES.length ? [] : chosen }
    try {
      if (endpoint === null) {
        onAdded(await callAsAdmin<EndpointSecret>(integrationPaths.endpoints, { method: 'POST', body }))
      } else {
        const change: EndpointChange = { ...body, version: endpoint.version }
        await callAsAdmin(integrationPaths.endpoint(endpoint._id), { method: 'PATCH', body: change })
      }
      toast.success('Endpoint saved')
      await queryClient.invalidateQueries({ queryKey: ENDPOINTS })
      onClose()
    } catch (error) {
      setStale(isVersionConflict(error))
      refusedFields(error, ['name', 'url']).forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      toast.error(errorMessage(error))
    }
  }

  return (
    <Dialog
      title={endpoint === null ? 'Add endpoint' : 'Edit endpoint'}
      onClose={onClose}
      busy={isSubmitting}
    >
      <form
        className="dialog-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        <Field label="Name" hint="Only the team sees it." error={errors.name?.message}>
          {(shared) => (
            <input
              {...shared}
              {...form.register('name', { validate: (name) => INTEGRATION_NAME_FIELD.problem(name) ?? true })}
              type="text"
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="URL" hint="Such as https://crm.example.com/chat-events" error={errors.url?.message}>
          {(shared) => (
            <input
              {...shared}
              {...form.register('url', { validate: (url) => ENDPOINT_URL_FIELD.problem(url) ?? true })}
              type="url"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        <CheckboxGroup
          legend="Events"
          labels={TYPE_LABELS}
          field={form.register('types', {
            validate: (chosen) => chosen.length > 0 || 'Choose one event or more',
          })}
          error={errors.types?.message}
        />
        <label className="checkbox">
          <input type="checkbox" {...form.register('notes')} />
          Send the words of notes, which visitors never see
        </label>
        {stale && (
          <p className="field-error">Someone else changed this endpoint. Close this, and look again.</p>
        )}
        <DialogEnd submitLabel="Save" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
