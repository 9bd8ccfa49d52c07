import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { CreatedApiKey, KeyScope, NewApiKey } from '@proctorpass/shared/schemas/key'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { CheckboxGroup } from './checkbox-group.tsx'
import { KEYS } from './queries.ts'

export const SCOPE_LABELS: Record<KeyScope, string> = {
  read: 'Read conversations, visitors, contact messages and events',
  write: 'Read them, and answer, write notes and change conversations',
  content: 'Read and change posts, reviews and their images',
}

interface Values {
  name: string
  scopes: KeyScope[]
  /** A day; empty: it does not end. */
  endsOn: string
}

interface KeyFormProps {
  onClose: () => void
  onCreated: (created: CreatedApiKey) => void
}

export function KeyForm({ onClose, onCreated }: KeyFormProps) {
  const queryClient = useQueryClient()
  const form = useForm<Values>({ defaultValues: { name: '', scopes: ['read'], endsOn: '' } })
  const { errors, isSubmitting } = form.formState

  async function handleValid({ name, scopes, endsOn }: Values): Promise<void> {
    // The end of the day, where the admin is.
    const expiresAt = endsOn === '' ? null : new Date(`${endsOn}T23:59:59`).toISOString()
    const body: NewApiKey = { name, scopes, expiresAt }
    try {
      onCreated(await callAsAdmin<CreatedApiKey>(integrationPaths.keys, { method: 'POST', body }))
      await queryClient.invalidateQueries({ queryKey: KEYS })
      onClose()
    } catch (error) {
      refusedFields(error, ['name', 'expiresAt']).forEach(({ field, message }, index) => {
        form.setError(field === 'name' ? 'name' : 'endsOn', { message }, { shouldFocus: index === 0 })
      })
      toast.error(errorMessage(error))
    }
  }

  return (
    <Dialog title="Add API key" onClose={onClose} busy={isSubmitting}>
      <form
        className="dialog-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        <Field
          label="Name"
          hint="Of the program. The team sees it on what the program writes."
          error={errors.name?.message}
        >
          {(shared) => (
            <input
              {...shared}
              {...form.register('name', { validate: (name) => INTEGRATION_NAME_FIELD.problem(name) ?? true })}
              type="text"
              autoComplete="off"
            />
          )}
        </Field>
        <CheckboxGroup
          legend="It may"
          labels={SCOPE_LABELS}
          field={form.register('scopes', {
            validate: (chosen) => chosen.length > 0 || 'Choose what it may do',
          })}
          error={errors.scopes?.message}
        />
        <Field label="Last day" hint="Optional. Without one it does not end." error={errors.endsOn?.message}>
          {(shared) => <input {...shared} {...form.register('endsOn')} type="date" />}
        </Field>
        <DialogEnd submitLabel="Add API key" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
