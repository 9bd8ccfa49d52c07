import { EMAIL_PATTERN } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { callApi } from '../lib/api.ts'
import { type FormField, PlainForm } from './plain-form.tsx'

interface ContactFormProps {
  /** The page that it stands on. */
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
  return [
    {
      name: 'email',
      label: 'Email',
      type: 'email',
      autoComplete: 'email',
      problem: (value) => {
        if (value.trim() === '') return 'Email is required'
        return new RegExp(EMAIL_PATTERN, 'u').test(value.trim())
          ? null
          : 'This does not look like an email address.'
      },
    },
    {
      name: 'title',
      label: 'Title',
      type: 'text',
      problem: (value) => (value.trim() === '' ? titleMissing : null),
    },
    {
      name: 'message',
      label: 'Message',
      type: 'long',
      problem: (value) => (value.trim() === '' ? 'Message is required' : null),
    },
  ]
}
