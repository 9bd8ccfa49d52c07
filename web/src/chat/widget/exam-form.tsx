import { profileFields } from '@proctorpass/shared/fields/profile'
import { PROFILE_NAME_MAX } from '@proctorpass/shared/limits'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { aboutCopy } from '../../content/chat-menu.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { serverNow } from '../../lib/server-clock.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { say, whatWasSaid } from './profile.ts'

const NAMES = ['name', 'email', 'examAt'] as const
type Name = (typeof NAMES)[number]
type Errors = { [N in Name]?: string }

/** A modal in which visitors say who they are and when their exam is. */
export function ExamForm({ chat, onClose }: { chat: VisitorChat; onClose: () => void }) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [said] = useState(whatWasSaid)
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const hasWritten = chat.conversation.getState().messages.length > 0
  useEffect(() => dialog.current?.showModal(), [])
  // The panel stays, wherever the focus is; the browser turns the key into `cancel`.
  useEffect(() => {
    const stop = (event: KeyboardEvent) => event.key === 'Escape' && event.stopImmediatePropagation()
    window.addEventListener('keydown', stop, true)
    return () => window.removeEventListener('keydown', stop, true)
  }, [])

  function refuse(form: HTMLFormElement, found: Errors): void {
    setErrors(found)
    const first = NAMES.find((name) => found[name] !== undefined)
    if (first) form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }

  async function handleSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const { about, wrong } = read(form, said)
    setFailure(null)
    if (Object.keys(wrong).length > 0) return refuse(form, wrong)
    setErrors({})
    setBusy(true)
    try {
      await say(chat, about)
      toast.success(aboutCopy.saved)
      onClose()
    } catch (error) {
      setBusy(false)
      const refused = refusedFields(error, NAMES)
      if (refused.length === 0) return setFailure(errorMessage(error))
      refuse(form, Object.fromEntries(refused.map(({ field, message }) => [field, message])))
    }
  }

  const shared = (name: Name) => ({
    id: `${id}-${name}`,
    name,
    'aria-invalid': errors[name] !== undefined,
    'aria-describedby': [name === 'examAt' && `${id}-zone`, errors[name] && `${id}-${name}-error`]
      .filter(Boolean)
      .join(' '),
  })
  const error = (name: Name) =>
    errors[name] && (
      <p className="field-error" id={`${id}-${name}-error`}>
        {errors[name]}
      </p>
    )

  return (
    <dialog
      ref={dialog}
      className="chat-dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!busy) onClose()
      }}
    >
      <form noValidate aria-busy={busy} onSubmit={handleSubmit}>
        <h2 id={id}>{aboutCopy.title}</h2>
        <p className="field-hint">{hasWritten ? aboutCopy.intro : aboutCopy.introBefore}</p>
        <div className="field">
          <label htmlFor={`${id}-name`}>{aboutCopy.name}</label>
          <input
            {...shared('name')}
            type="text"
            autoComplete="name"
            maxLength={2 * PROFILE_NAME_MAX}
            defaultValue={said.name ?? ''}
          />
          {error('name')}
        </div>
        <div className="field">
          <label htmlFor={`${id}-email`}>{aboutCopy.email}</label>
          <input {...shared('email')} type="email" autoComplete="email" defaultValue={said.email ?? ''} />
          {error('email')}
        </div>
        <div className="field">
          <label htmlFor={`${id}-examAt`}>{aboutCopy.exam}</label>
          <input {...shared('examAt')} type="datetime-local" defaultValue={toInput(said.examAt ?? null)} />
          <p className="field-hint" id={`${id}-zone`}>
            {aboutCopy.zone(zoneName())}
          </p>
          {error('examAt')}
        </div>
        <p className="field-error" role="alert">
          {failure}
        </p>
        <div className="chat-dialog-end">
          <button type="submit" className="button" disabled={busy}>
            Save
          </button>
          <button type="button" className="link-button" disabled={busy} onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** What was typed, or what is wrong with it. An emptied field clears what was said before. */
function read(form: HTMLFormElement, said: CorrectVisitor): { about: CorrectVisitor; wrong: Errors } {
  const about: CorrectVisitor = {}
  const wrong: Errors = {}
  const fields = profileFields(serverNow())
  for (const name of NAMES) {
    const input = form.elements.namedItem(name) as HTMLInputElement
    const typed = input.value.trim()
    // A date without a time has no value, and is not empty either.
    if (typed === '' && !input.validity.badInput) {
      if (said[name] !== undefined) about[name] = null
      continue
    }
    const text = name === 'examAt' ? fromInput(typed) : typed
    const problem = fields[name].problem(text)
    if (problem === null) about[name] = fields[name].clean(text)
    else wrong[name] = problem
  }
  return { about, wrong }
}

function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')
}

function fromInput(value: string): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString()
}

function toInput(iso: string | null): string {
  if (iso === null) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
