import type { FormState } from '@proctorpass/shared/ssr'
import { useEffect, useId, useRef, useState } from 'react'
import { Spinner } from '../components/spinner.tsx'
import type { Engine, FormEngine } from './form-engine.tsx'
import type { FormField, FormValues } from './form-field.ts'
import { useSentForm } from './sent-form.ts'

interface PlainFormProps {
  /** The path to which the browser posts the form without scripts. */
  action: string
  fields: readonly FormField[]
  submitLabel: string
  /** Resolves with the success message, or rejects with an AppError. */
  send: (values: FormValues) => Promise<string>
}

/**
 * Renders a form that works without scripts: the browser posts it, and the page that answers shows the result. The
 * engine, which checks and sends the form in place, is loaded on the first focus. An earlier submit waits for it.
 */
export function PlainForm({ action, fields, submitLabel, send }: PlainFormProps) {
  const id = useId()
  const sent = useSentForm()
  const form = useRef<HTMLFormElement>(null)
  const { Engine, load } = useFormEngine()
  const [engine, setEngine] = useState<Engine | null>(null)
  const [waiting, setWaiting] = useState(false)

  useEffect(() => {
    if (!waiting || !engine) return
    setWaiting(false)
    void engine.submit()
  }, [waiting, engine])

  function handleSubmit(event: React.FormEvent): void {
    event.preventDefault()
    if (engine) return void engine.submit()
    setWaiting(true)
    // If the engine cannot be loaded, the browser posts the form.
    load().catch(() => form.current?.submit())
  }

  const sentErrors = errorsOf(sent, fields)
  const errors = engine?.errors ?? sentErrors
  const firstWrong = fields.find(({ name }) => errors[name])?.name
  const result = engine?.result ?? (sent && resultOf(sent))
  const busy = waiting || engine?.sending === true

  return (
    <form
      ref={form}
      className="plain-form"
      method="post"
      action={action}
      noValidate
      aria-busy={busy}
      onFocus={() => void load().catch(() => {})}
      onSubmit={handleSubmit}
    >
      {fields.map((field) => {
        const common = {
          ...engine?.register(field.name),
          id: `${id}-${field.name}`,
          name: field.name,
          required: true,
          defaultValue: sent?.values[field.name],
          autoComplete: field.autoComplete ?? 'off',
          'aria-invalid': errors[field.name] !== undefined,
          'aria-describedby': describedBy(`${id}-${field.name}`, field.hint, errors[field.name]),
          // Without scripts, the page that answers focuses the first wrong field.
          autoFocus: engine === null && field.name === firstWrong,
        }
        return (
          <div className="field" key={field.name}>
            <label htmlFor={common.id}>{field.label}</label>
            {field.hint && (
              <p className="field-hint" id={`${common.id}-hint`}>
                {field.hint}
              </p>
            )}
            {field.type === 'long' ? (
              <textarea {...common} rows={6} />
            ) : (
              <input {...common} type={field.type} min={field.min} max={field.max} step={field.step} />
            )}
            {errors[field.name] !== undefined && (
              <p className="field-error" id={`${common.id}-error`}>
                {errors[field.name]}
              </p>
            )}
          </div>
        )
      })}
      {/* This is the honeypot, which only robots fill in. */}
      <div className="visually-hidden" aria-hidden="true">
        <label htmlFor={`${id}-website`}>Website</label>
        <input
          {...engine?.register('website')}
          id={`${id}-website`}
          name="website"
          tabIndex={-1}
          autoComplete="off"
        />
      </div>
      <div className="form-end">
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy && <Spinner />}
          {busy ? 'Sending…' : submitLabel}
        </button>
        <p
          className="form-result"
          role="status"
          data-failed={result?.failed ?? false}
          tabIndex={-1}
          // biome-ignore lint/a11y/noAutofocus: without scripts nothing else announces the result
          autoFocus={engine === null && result !== null && !firstWrong}
        >
          {result?.message}
        </p>
      </div>
      {Engine && <Engine fields={fields} initialErrors={sentErrors} send={send} onChange={setEngine} />}
    </form>
  )
}

/** Returns a function that loads the engine, and the engine once it is loaded. */
function useFormEngine() {
  const [Engine, setEngine] = useState<typeof FormEngine | null>(null)
  async function load(): Promise<void> {
    const module = await import('./form-engine.tsx')
    setEngine(() => module.FormEngine)
  }
  return { Engine, load }
}

function describedBy(id: string, hint: string | undefined, error: string | undefined): string | undefined {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean)
  return ids.length > 0 ? ids.join(' ') : undefined
}

/** Prefers the page's own messages, which may differ from the server's: only the home page has "title is required". */
function errorsOf(sent: FormState | null, fields: readonly FormField[]): FormValues {
  return Object.fromEntries(
    (sent?.errors ?? []).map(({ field, message }) => {
      const own = fields.find(({ name }) => name === field)?.problem(sent?.values[field] ?? '')
      return [field, own ?? message]
    }),
  )
}

function resultOf({
  message,
  errors,
}: {
  message: string | null
  errors: { field: string; message: string }[]
}) {
  if (message !== null) return { message, failed: false }
  const whole = errors.find(({ field }) => field === '')
  return whole ? { message: whole.message, failed: true } : null
}
