import { CONTACT_FIELDS, contactTitle } from '@proctorpass/shared/fields/contact'
import { paths } from '@proctorpass/shared/paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { callApi } from '../lib/api.ts'
import type { FormField } from './form-field.ts'
import { PlainForm } from './plain-form.tsx'

interface ContactFormProps {
  /** The path of the form's page. */
  action: string
  titleMissing: string
}

export function ContactForm({ action, titleMissing }: ContactFormProps) {
  return (
    <PlainForm
      action={action}
      fields={fieldsOf(titleMissing)}
      submitLabel="Send message"
      send={async (contact) => {
        const { message } = await callApi<Done>(paths.contacts, { method: 'POST', body: contact })
        return message
      }}
    />
  )
}

function fieldsOf(titleMissing: string): FormField[] {
  const { email, message } = CONTACT_FIELDS
  return [
    { ...email, name: 'email', label: 'Email', type: 'email', autoComplete: 'email' },
    { ...contactTitle(titleMissing), name: 'title', label: 'Title', type: 'text' },
    { ...message, name: 'message', label: 'Message', type: 'long' },
  ]
}
