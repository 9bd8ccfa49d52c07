import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { CreatedApiKey, KeyScope, NewApiKey } from '@proctorpass/shared/schemas/key'
import { useQueryClient } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { FormDialog, TextField } from '../ui/admin-form.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { CheckboxGroup } from './checkbox-group.tsx'
import { KEYS } from './queries.ts'

export const SCOPE_LABELS: Record<KeyScope, string> = {
  read: 'Read conversations, visitors, contact messages, and events',
  write: 'Read them, reply, write notes, and change conversations',
  content: 'Read and change posts, reviews, and their images',
}

interface Values {
  name: string
  scopes: KeyScope[]
  /** A date, or empty if the key does not expire. */
  endsOn: string
}

interface KeyFormProps {
  onClose: () => void
  onCreated: (created: CreatedApiKey) => void
}

export function KeyForm({ onClose, onCreated }: KeyFormProps) {
  const queryClient = useQueryClient()
  const form = useAdminForm<Values>({
    defaultValues: { name: '', scopes: ['read'], endsOn: '' },
    fieldOf: (name) => (name === 'expiresAt' ? 'endsOn' : name),
    async send({ name, scopes, endsOn }) {
      // The key works until the end of that day, in the admin's time zone.
      const expiresAt = endsOn === '' ? null : new Date(`${endsOn}T23:59:59`).toISOString()
      const body: NewApiKey = { name, scopes, expiresAt }
      onCreated(await callAsAdmin<CreatedApiKey>(integrationPaths.keys, { method: 'POST', body }))
      await queryClient.invalidateQueries({ queryKey: KEYS })
      onClose()
    },
  })
  return (
    <FormDialog title="Add API key" form={form} submitLabel="Add API key" onClose={onClose}>
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="The program's name. Your team sees it on everything the program writes."
        rule={INTEGRATION_NAME_FIELD}
        type="text"
        autoComplete="off"
      />
      <CheckboxGroup
        legend="Permissions"
        labels={SCOPE_LABELS}
        field={form.form.register('scopes', {
          validate: (chosen) => chosen.length > 0 || 'Choose at least one permission',
        })}
        error={form.errorOf('scopes')}
      />
      <TextField
        form={form}
        name="endsOn"
        label="Last day"
        hint="Optional. Leave blank for a key that doesn't expire."
        type="date"
      />
    </FormDialog>
  )
}
