import { adminPaths } from '@proctorpass/shared/admin-paths'
import { profileFields } from '@proctorpass/shared/fields/profile'
import { trimmed } from '@proctorpass/shared/fields/text'
import { isTimeZone } from '@proctorpass/shared/hours'
import { PROFILE_NAME_MAX } from '@proctorpass/shared/limits'
import type { CorrectVisitor, Visitor } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../../components/toast.ts'
import { errorMessage, refusedFields } from '../../../lib/error-message.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { Field } from '../../ui/field.tsx'
import { SubmitButton } from '../../ui/submit-button.tsx'
import { visitorQuery } from '../live/summaries.ts'
import { fromInput, ownTimeZone, toInput } from './zoned-time.ts'
import '../../ui/content.css'

const FIELDS = ['name', 'email', 'examAt'] as const
type Values = Record<(typeof FIELDS)[number], string>

/** Corrects what a visitor said. Sends only what the admin changed; an empty field clears. */
export function VisitorForm({ visitor, onClose }: { visitor: Visitor; onClose: () => void }) {
  const { clientId, name, email, examAt, timeZone } = visitor
  const isTheirs = timeZone !== null && isTimeZone(timeZone)
  const zone = isTheirs ? timeZone : ownTimeZone()
  const queryClient = useQueryClient()
  const headingId = useId()
  const form = useForm<Values>({
    defaultValues: { name: name ?? '', email: email ?? '', examAt: examAt ? toInput(examAt, zone) : '' },
  })
  const { errors, dirtyFields, isSubmitting } = form.formState
  const examInput = useRef<HTMLInputElement>(null)
  const check = (field: (typeof FIELDS)[number], value: string) => {
    // A date without a time has no value, and is not empty either.
    const isUnfinished = field === 'examAt' && examInput.current?.validity.badInput === true
    if (trimmed(value) === '' && !isUnfinished) return true
    const text = field === 'examAt' ? (fromInput(value, zone) ?? '') : value
    return profileFields(serverNow())[field].problem(text) ?? true
  }

  const exam = form.register('examAt', { validate: (value) => check('examAt', value) })

  async function handleValid(values: Values): Promise<void> {
    const change: CorrectVisitor = {}
    for (const field of FIELDS) {
      if (!dirtyFields[field]) continue
      const text = trimmed(values[field])
      change[field] = text === '' ? null : field === 'examAt' ? fromInput(text, zone) : text
    }
    try {
      const path = adminPaths.conversationVisitor(clientId)
      const corrected = await callAsAdmin<Visitor>(path, { method: 'PATCH', body: change })
      queryClient.setQueryData(visitorQuery(clientId).queryKey, corrected)
      toast.success('Details saved')
      onClose()
    } catch (error) {
      const wrong = refusedFields(error, FIELDS)
      for (const [index, { field, message }] of wrong.entries()) {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      }
      if (wrong.length === 0) toast.error(errorMessage(error))
    }
  }

  return (
    <form
      className="visitor-form"
      noValidate
      aria-labelledby={headingId}
      aria-busy={isSubmitting}
      onSubmit={form.handleSubmit(handleValid)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        // Neither the dialog around it.
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <h3 id={headingId}>Edit details</h3>
      <Field label="Name" error={errors.name?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('name', { validate: (value) => check('name', value) })}
            type="text"
            autoComplete="off"
            maxLength={2 * PROFILE_NAME_MAX}
            // biome-ignore lint/a11y/noAutofocus: the button that opened the form is gone
            autoFocus
          />
        )}
      </Field>
      <Field label="Email" error={errors.email?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('email', { validate: (value) => check('email', value) })}
            type="email"
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label="Exam"
        hint={`${isTheirs ? 'Their time' : 'Your time'}: ${zone.replaceAll('_', ' ')}`}
        error={errors.examAt?.message}
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
      <p className="visitor-note">Empty a field to clear it.</p>
      <div className="form-end">
        <SubmitButton busy={isSubmitting} small>
          Save
        </SubmitButton>
        <button
          type="button"
          className="button button-quiet button-small"
          disabled={isSubmitting}
          onClick={onClose}
        >
          Cancel
        </button>
      </div>
    </form>
  )
}
