import { useEffect, useState } from 'react'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { toast } from '../components/toast.ts'
import { errorMessage, refusedFields } from '../lib/error-message.ts'
import type { FormField, FormValues } from './form-field.ts'

/** What `PlainForm` reads and calls once its engine is loaded. */
export interface Engine {
  register: (name: string) => UseFormRegisterReturn
  submit: () => Promise<void>
  errors: FormValues
  sending: boolean
  /** Null until the form has been sent. */
  result: { message: string; failed: boolean } | null
}

interface FormEngineProps {
  fields: readonly FormField[]
  /** The errors from the answer to a submit without scripts. */
  initialErrors: FormValues
  send: (values: FormValues) => Promise<string>
  onChange: (engine: Engine) => void
}

/**
 * Checks and sends its parent's form. It renders nothing, so that loading it changes neither the fields' text nor the
 * focus.
 */
export function FormEngine({ fields, initialErrors, send, onChange }: FormEngineProps) {
  const form = useForm<FormValues>()
  const [result, setResult] = useState<Engine['result']>(null)
  const { errors, isSubmitting } = form.formState

  async function handleValid(values: FormValues): Promise<void> {
    setResult(null)
    try {
      const message = await send(values)
      form.reset(Object.fromEntries(Object.keys(values).map((name) => [name, ''])))
      setResult({ message, failed: false })
      toast.success(message)
    } catch (error) {
      const wrong = refusedFields(
        error,
        fields.map(({ name }) => name),
      )
      wrong.forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      const message = errorMessage(error)
      // A message beside a field is not repeated below the form.
      setResult(wrong.length > 0 ? null : { message, failed: true })
      toast.error(message)
    }
  }

  // The errors from a submit without scripts are set once.
  useEffect(() => {
    for (const [name, message] of Object.entries(initialErrors)) form.setError(name, { message })
  }, [])

  // The parent renders the engine's state, so it receives each change.
  useEffect(() => {
    onChange({
      register: (name) => {
        const problem = fields.find((field) => field.name === name)?.problem
        return form.register(name, { validate: (value) => problem?.(value ?? '') ?? true })
      },
      submit: form.handleSubmit(handleValid, () => setResult(null)),
      errors: Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error?.message ?? ''])),
      sending: isSubmitting,
      result,
    })
  }, [errors, isSubmitting, result])

  return null
}
