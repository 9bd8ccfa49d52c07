import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Proof } from '@proctorpass/shared/schemas/factors'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { hasPasskeys } from '../../lib/passkey-support.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { AccountName, factorsQuery } from '../ui/account.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'

interface ConfirmIdentityProps {
  onConfirmed: () => void
  onCancel: () => void
}

/** Asks for the password, or for a code where the admin has an app. Open while it is rendered. */
export function ConfirmIdentity({ onConfirmed, onCancel }: ConfirmIdentityProps) {
  const factors = useQuery(factorsQuery).data
  const hasPasskey =
    hasPasskeys() && factors?.passkeyOrigin === location.origin && factors.passkeys.length > 0
  const [byCode, setByCode] = useState(false)
  const [isSigning, setSigning] = useState(false)
  const form = useForm({ defaultValues: { answer: '' } })
  const { errors, isSubmitting } = form.formState
  const { setFocus } = form
  useEffect(() => setFocus('answer'), [byCode, setFocus])

  async function send(body: Proof): Promise<void> {
    await callAsAdmin(accountPaths.confirm, { method: 'POST', body })
    onConfirmed()
  }

  function showError(error: unknown): void {
    const message = errorMessage(error)
    toast.error(message)
    form.setError('answer', { message })
    setFocus('answer', { shouldSelect: true })
  }

  async function usePasskey(): Promise<void> {
    setSigning(true)
    try {
      const { askForPasskey, sign } = await import('../../lib/passkeys.ts')
      const passkey = await sign(await askForPasskey())
      if (passkey !== null) await send({ passkey })
    } catch (error) {
      showError(error)
    } finally {
      setSigning(false)
    }
  }

  const label = byCode ? 'Code from your authenticator app' : 'Password'
  return (
    <Dialog title="Confirm it's you" onClose={onCancel} busy={isSubmitting || isSigning}>
      <form
        className="dialog-form"
        noValidate
        onSubmit={form.handleSubmit(({ answer }) =>
          send(byCode ? { code: answer } : { password: answer }).catch(showError),
        )}
      >
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
        <AccountName />
        {hasPasskey && (
          <button
            type="button"
            className="link-button"
            aria-disabled={isSigning}
            onClick={() => isSigning || void usePasskey()}
          >
            Use a passkey
          </button>
        )}
        {factors?.totp && (
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
        <DialogEnd submitLabel="Confirm" busy={isSubmitting || isSigning} onCancel={onCancel} />
      </form>
    </Dialog>
  )
}
