import { useEffect, useState } from 'react'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { toast } from '../components/toast.ts'
import { errorMessage, refusedFields } from '../lib/error-message.ts'
import type { FormField, FormValues } from './form-field.ts'

/** What `PlainForm` needs to know and do once it has an engine. */
export interface Engine {
  register: (name: string) => UseFormRegisterReturn
  submit: () => Promise<void>
  errors: FormValues
  sending: boolean
  /** Null until something came of it. */
  result: { message: string; failed: boolean } | null
}

interface FormEngineProps {
  fields: readonly FormField[]
  /** From the answer to a submit before there was an engine. */
  initialErrors: FormValues
  send: (values: FormValues) => Promise<string>
  onChange: (engine: Engine) => void
}

/**
 * Checks and sends a form that stands beside it. It shows nothing: the fields are on the page before this is loaded,
 * and keep what was typed into them and the focus.
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
      // Beside its field it has been said.
      setResult(wrong.length > 0 ? null : { message, failed: true })
      toast.error(message)
    }
  }

  // Once: what the answer to a submit without an engine said.
  useEffect(() => {
    for (const [name, message] of Object.entries(initialErrors)) form.setError(name, { message })
  }, [])

  // Handed on when what it shows has changed.
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
