import { type FormField, PlainForm } from './plain-form.tsx'

const required = (value: string) => (value.trim() === '' ? 'Required' : null)

const FIELDS: FormField[] = [
  {
    name: 'name',
    label: 'Name',
    type: 'text',
    autoComplete: 'name',
    problem: (value) => (value.trim() === '' ? 'Name is required' : null),
  },
  {
    name: 'star',
    label: 'Stars',
    type: 'number',
    hint: '1 to 5; a half is fine.',
    min: 1,
    max: 5,
    step: 0.5,
    problem: (value) =>
      required(value) ?? (Number(value) >= 1 && Number(value) <= 5 ? null : 'Please give 1 to 5 stars.'),
  },
  { name: 'review', label: 'Review', type: 'long', problem: required },
]

/** Acknowledges, and calls nothing. */
export function ReviewForm() {
  return (
    <PlainForm
      action="/reviews"
      fields={FIELDS}
      submitLabel="Send review"
      send={async () => 'Review sent successfully'}
    />
  )
}
