import { adminPaths } from '@proctorpass/shared/admin-paths'
import { profileFields } from '@proctorpass/shared/fields/profile'
import { trimmed } from '@proctorpass/shared/fields/text'
import { isTimeZone } from '@proctorpass/shared/hours'
import { PROFILE_NAME_MAX } from '@proctorpass/shared/limits'
import type { CorrectVisitor, Visitor } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { TextField } from '../../ui/admin-form.tsx'
import { Field } from '../../ui/field.tsx'
import { SubmitButton } from '../../ui/submit-button.tsx'
import { useAdminForm } from '../../ui/use-admin-form.ts'
import { visitorQuery } from '../live/summaries.ts'
import { fromInput, ownTimeZone, toInput } from './zoned-time.ts'
import '../../ui/content.css'

const FIELDS = ['name', 'email', 'examAt'] as const
type Values = Record<(typeof FIELDS)[number], string>

/** Corrects what a visitor said. It sends only what the admin changed. An empty field clears the value. */
export function VisitorForm({ visitor, onClose }: { visitor: Visitor; onClose: () => void }) {
  const { clientId, name, email, examAt, timeZone } = visitor
  const isTheirs = timeZone !== null && isTimeZone(timeZone)
  const zone = isTheirs ? timeZone : ownTimeZone()
  const queryClient = useQueryClient()
  const headingId = useId()
  const form = useAdminForm<Values>({
    defaultValues: { name: name ?? '', email: email ?? '', examAt: examAt ? toInput(examAt, zone) : '' },
    async send(values) {
      const body: CorrectVisitor = {}
      for (const field of FIELDS) {
        if (!dirtyFields[field]) continue
        const text = trimmed(values[field])
        body[field] = text === '' ? null : field === 'examAt' ? fromInput(text, zone) : text
      }
      const path = adminPaths.conversationVisitor(clientId)
      const corrected = await callAsAdmin<Visitor>(path, { method: 'PATCH', body })
      queryClient.setQueryData(visitorQuery(clientId).queryKey, corrected)
      onClose()
      return 'Details saved'
    },
  })
  const { dirtyFields } = form.form.formState
  const examInput = useRef<HTMLInputElement>(null)
  const rule = (field: (typeof FIELDS)[number]) => ({
    problem(value: string) {
      // A date without a time has no value, but the field is not empty.
      const isUnfinished = field === 'examAt' && examInput.current?.validity.badInput === true
      if (trimmed(value) === '' && !isUnfinished) return null
      const text = field === 'examAt' ? (fromInput(value, zone) ?? '') : value
      return profileFields(serverNow())[field].problem(text)
    },
  })
  const exam = form.form.register('examAt', { validate: (value) => rule('examAt').problem(value) ?? true })

  return (
    <form
      className="visitor-form"
      aria-labelledby={headingId}
      {...form.props}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        // The dialog around the form stays open.
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <h3 id={headingId}>Edit details</h3>
      <TextField
        form={form}
        name="name"
        label="Name"
        rule={rule('name')}
        type="text"
        autoComplete="off"
        maxLength={2 * PROFILE_NAME_MAX}
        // The button that opened the form is gone.
        autoFocus
      />
      <TextField
        form={form}
        name="email"
        label="Email"
        rule={rule('email')}
        type="email"
        autoComplete="off"
      />
      <Field
        label="Exam"
        hint={`${isTheirs ? 'Their time' : 'Your time'}: ${zone.replaceAll('_', ' ')}`}
        error={form.errorOf('examAt')}
      >
        {(shared) => (
          <input
            {...shared}
            {...exam}
            ref={(input) => {
              exam.ref(input)
              examInput.current = input
            }}
            type="datetime-local"
          />
        )}
      </Field>
      <p className="visitor-note">To remove a detail, leave its field blank.</p>
      <div className="form-end">
        <SubmitButton busy={form.busy}>Save</SubmitButton>
        <button type="button" className="button" disabled={form.busy} onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  )
}
