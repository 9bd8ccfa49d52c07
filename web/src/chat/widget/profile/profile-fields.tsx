import later from 'virtual:words/later'
import { profileFields } from '@proctorpass/shared/fields/profile'
import { trimmed } from '@proctorpass/shared/fields/text'
import { PROFILE_NAME_MAX } from '@proctorpass/shared/limits'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import { useId } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'
import { fill } from '../../language/fill.ts'
import { useLanguage, useWords } from '../../language/language.ts'
import type { Words } from '../../language/words.ts'
import { useChatState } from '../chat-state.ts'
import { useUnsubscribed } from './profile.ts'

export const PROFILE_NAMES = ['name', 'email', 'examAt'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]
export type ProfileErrors = { [N in ProfileName]?: string }
/** The fields in a form. */
export type Asked = { [N in ProfileName]?: 'optional' | 'required' }

interface ProfileFieldsProps {
  asked: Asked
  /** Whether labels say that a field is optional. */
  marked?: boolean
  values: CorrectVisitor
  errors: ProfileErrors
}

/** The fields in which visitors say who they are and when their exam is. */
export function ProfileFields({ asked, marked = false, values, errors }: ProfileFieldsProps) {
  const id = useId()
  const words = useWords('later', later)
  const locale = useLanguage((language) => language.locale)
  const labels = { name: words.name, email: words.email, examAt: words.exam }
  const isMailed = useChatState((state) => state?.mail)
  const unsubscribed = useUnsubscribed()
  const hints: { [N in ProfileName]?: string | false | undefined } = {
    email: isMailed && (unsubscribed ? words.mailOff : words.mailHint),
    examAt: fill(words.zone, { name: zoneName(locale) }),
  }
  const inputs = {
    name: { type: 'text', autoComplete: 'name', dir: 'auto', maxLength: 2 * PROFILE_NAME_MAX },
    email: { type: 'email', autoComplete: 'email', dir: 'ltr' },
    examAt: { type: 'datetime-local' },
  }
  return PROFILE_NAMES.filter((name) => asked[name] !== undefined).map((name) => {
    const error = errors[name]
    const hint = hints[name]
    const value = values[name] ?? ''
    return (
      <div key={name} className="field">
        <label htmlFor={`${id}-${name}`}>
          {marked && asked[name] === 'optional'
            ? fill(words.optional, { label: labels[name] })
            : labels[name]}
        </label>
        <input
          {...inputs[name]}
          id={`${id}-${name}`}
          name={name}
          required={asked[name] === 'required'}
          defaultValue={name === 'examAt' ? toInput(value) : value}
          aria-invalid={error !== undefined}
          aria-describedby={`${hint ? `${id}-${name}-hint` : ''} ${error ? `${id}-${name}-error` : ''}`.trim()}
        />
        {hint && (
          <p className="field-hint" id={`${id}-${name}-hint`}>
            {hint}
          </p>
        )}
        {error && (
          <p className="field-error" id={`${id}-${name}-error`}>
            {error}
          </p>
        )}
      </div>
    )
  })
}

/** Returns the fields' values, or their errors. An emptied field clears the value that was `stored` before. */
export function readProfile(
  form: HTMLFormElement,
  asked: Asked,
  stored: CorrectVisitor,
  words: Words['later'],
): { about: CorrectVisitor; wrong: ProfileErrors } {
  const about: CorrectVisitor = {}
  const wrong: ProfileErrors = {}
  const fields = profileFields(serverNow())
  const refusals = {
    name: [words.nameRequired, words.nameWrong],
    email: [words.emailRequired, words.emailWrong],
    examAt: [words.examRequired, words.examWrong],
  } as const
  for (const name of PROFILE_NAMES) {
    if (asked[name] === undefined) continue
    const input = form.elements.namedItem(name) as HTMLInputElement
    const typed = trimmed(input.value)
    // A date without a time has no value, but is not empty either.
    if (typed === '' && !input.validity.badInput) {
      if (asked[name] === 'required') wrong[name] = refusals[name][0]
      else if (stored[name] !== undefined) about[name] = null
      continue
    }
    const text = name === 'examAt' ? fromInput(typed) : typed
    if (fields[name].problem(text) === null) about[name] = fields[name].clean(text)
    else wrong[name] = name === 'examAt' && text !== typed ? words.examFar : refusals[name][1]
  }
  return { about, wrong }
}

export function focusFirst(form: HTMLFormElement, wrong: ProfileErrors): void {
  const first = PROFILE_NAMES.find((name) => wrong[name] !== undefined)
  if (first) form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
}

function zoneName(locale: string): string {
  return new Intl.DateTimeFormat(locale).resolvedOptions().timeZone.replaceAll('_', ' ')
}

function fromInput(value: string): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString()
}

function toInput(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
