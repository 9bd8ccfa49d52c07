import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Proof } from '@proctorpass/shared/schemas/factors'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../components/toast.ts'
import { useAuth } from '../lib/auth-store.ts'
import { errorMessage } from '../lib/error-message.ts'
import { callAsAdmin } from '../lib/session.ts'
import { Dialog } from './ui/dialog.tsx'
import { DialogEnd } from './ui/dialog-end.tsx'
import { factorsQuery } from './ui/factors.ts'
import { Field } from './ui/field.tsx'

interface ConfirmIdentityProps {
  onConfirmed: () => void
  onCancel: () => void
}

/** Asks for the password, or for a code where the admin has an app. Open while it is rendered. */
export function ConfirmIdentity({ onConfirmed, onCancel }: ConfirmIdentityProps) {
  const userName = useAuth((auth) => auth.userName)
  const hasApp = useQuery(factorsQuery).data?.totp ?? false
  const [byCode, setByCode] = useState(false)
  const form = useForm({ defaultValues: { answer: '' } })
  const { errors, isSubmitting } = form.formState
  const { setFocus } = form
  useEffect(() => setFocus('answer'), [byCode, setFocus])

  async function handleValid({ answer }: { answer: string }): Promise<void> {
    const body: Proof = byCode ? { code: answer } : { password: answer }
    try {
      await callAsAdmin(adminPaths.confirm, { method: 'POST', body })
      onConfirmed()
    } catch (error) {
      const message = errorMessage(error)
      toast.error(message)
      form.setError('answer', { message })
      setFocus('answer', { shouldSelect: true })
    }
  }

  const label = byCode ? 'Code from your authenticator app' : 'Password'
  return (
    <Dialog title="Confirm it's you" onClose={onCancel} busy={isSubmitting}>
      <form className="dialog-form" noValidate onSubmit={form.handleSubmit(handleValid)}>
        <p>You signed in a while ago. Confirm that it's still you: that is good for 15 minutes.</p>
        <Field label={label} error={errors.answer?.message}>
          {(shared) => (
            <input
              {...shared}
              {...form.register('answer', { required: `${byCode ? 'Code' : 'Password'} is required` })}
              key={label}
              type={byCode ? 'text' : 'password'}
              inputMode={byCode ? 'numeric' : undefined}
              autoComplete={byCode ? 'one-time-code' : 'current-password'}
              maxLength={byCode ? 64 : undefined}
            />
          )}
        </Field>
        {/* For password managers. */}
        <input
          className="visually-hidden"
          type="text"
          autoComplete="username"
          value={userName ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        {hasApp && (
          <button
            type="button"
            className="link-button"
            onClick={() => {
              form.reset()
              setByCode(!byCode)
            }}
          >
            {byCode ? 'Use your password' : 'Use a code from your app'}
          </button>
        )}
        <DialogEnd submitLabel="Confirm" busy={isSubmitting} onCancel={onCancel} />
      </form>
    </Dialog>
  )
}
