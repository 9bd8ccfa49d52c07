import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Proof } from '@proctorpass/shared/schemas/factors'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { errorMessage } from '../../lib/error-message.ts'
import { hasPasskeys } from '../../lib/passkey-support.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { AccountName, factorsQuery } from '../ui/account.tsx'
import { required, TextField } from '../ui/admin-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { refusal, useAdminForm } from '../ui/use-admin-form.ts'

interface ConfirmIdentityProps {
  onConfirmed: () => void
  onCancel: () => void
}

/** Asks for the password, or for a code if the admin has an authenticator app. It is open while it is rendered. */
export function ConfirmIdentity({ onConfirmed, onCancel }: ConfirmIdentityProps) {
  const factors = useQuery(factorsQuery).data
  const hasPasskey =
    hasPasskeys() && factors?.passkeyOrigin === location.origin && factors.passkeys.length > 0
  const [byCode, setByCode] = useState(false)
  const [isSigning, setSigning] = useState(false)
  const form = useAdminForm({
    defaultValues: { answer: '' },
    send: ({ answer }) => confirm(byCode ? { code: answer } : { password: answer }),
  })
  const { setFocus } = form.form
  useEffect(() => setFocus('answer'), [byCode, setFocus])
  const busy = form.busy || isSigning

  async function confirm(body: Proof): Promise<undefined> {
    try {
      await callAsAdmin(accountPaths.confirm, { method: 'POST', body })
    } catch (error) {
      throw refusal('answer', errorMessage(error))
    }
    onConfirmed()
  }

  async function usePasskey(): Promise<void> {
    setSigning(true)
    try {
      const { askForPasskey, sign } = await import('../../lib/passkeys.ts')
      const passkey = await sign(await askForPasskey())
      if (passkey !== null) await confirm({ passkey })
    } catch (error) {
      await form.refuse(error)
    } finally {
      setSigning(false)
    }
  }

  const label = byCode ? 'Code from your authenticator app' : 'Password'
  return (
    <Dialog title="Confirm it's you" onClose={onCancel} busy={busy}>
      <form className="dialog-form" {...form.props}>
        <p>You signed in a while ago. Confirm that it's still you. We won't ask again for 15 minutes.</p>
        <TextField
          form={form}
          key={label}
          name="answer"
          label={label}
          rule={required(`${byCode ? 'Code' : 'Password'} is required`)}
          type={byCode ? 'text' : 'password'}
          inputMode={byCode ? 'numeric' : undefined}
          autoComplete={byCode ? 'one-time-code' : 'current-password'}
          maxLength={byCode ? 64 : undefined}
        />
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
              form.restart({ answer: '' })
              setByCode(!byCode)
            }}
          >
            {byCode ? 'Use your password' : 'Use a code from your app'}
          </button>
        )}
        <DialogEnd submitLabel="Confirm" busy={busy} onCancel={onCancel} />
      </form>
    </Dialog>
  )
}
