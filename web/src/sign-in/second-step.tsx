import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { Challenge, FactorKind } from '@proctorpass/shared/schemas/factors'
import { useEffect, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Spinner } from '../components/spinner.tsx'
import { errorMessage } from '../lib/error-message.ts'
import { hasPasskeys } from '../lib/passkey-support.ts'
import { signInWithFactor } from '../lib/session.ts'

interface SecondStepProps {
  first: Challenge
  /** Sends the password again. */
  ask: () => Promise<SignedIn | Challenge>
  onSignedIn: (userName: string) => void
  onBack: () => void
}

const SWITCH_TO: Record<FactorKind, string> = {
  passkey: 'Use a passkey',
  totp: 'Use your authenticator app',
  recovery: 'Use a recovery code',
}

/** Asks for a second factor: a passkey, the authenticator app's code, or a recovery code. */
export function SecondStep({ first, ask, onSignedIn, onBack }: SecondStepProps) {
  const kinds = first.factors.filter((kind) => kind !== 'passkey' || hasPasskeys())
  const [kind, setKind] = useState(kinds[0])
  const unused = useRef<Challenge | null>(first)

  /** A challenge works once, so the next answer needs another one. */
  async function answer(give: (challenge: string) => Promise<SignedIn | Challenge | null>): Promise<void> {
    const next = unused.current ?? (await ask())
    unused.current = 'challenge' in next ? next : null
    const signedIn = 'challenge' in next ? await give(next.challenge) : next
    if (signedIn !== null && !('challenge' in signedIn)) onSignedIn(signedIn.userName)
  }

  const props = {
    answer,
    spend: () => {
      unused.current = null
    },
  }
  return (
    <div className="second-step">
      {kind === undefined && (
        <p>
          Your second factors don't work here. Ask the server's operator to reset your account with{' '}
          <code>npm run admin -- reset</code>.
        </p>
      )}
      {kind === 'passkey' && <PasskeyStep {...props} />}
      {(kind === 'totp' || kind === 'recovery') && <CodeStep key={kind} kind={kind} {...props} />}
      {kinds
        .filter((other) => other !== kind)
        .map((other) => (
          <button
            key={other}
            type="button"
            className="button button-l button-quiet"
            onClick={() => setKind(other)}
          >
            {SWITCH_TO[other]}
          </button>
        ))}
      <button type="button" className="button button-l button-quiet" onClick={onBack}>
        Back
      </button>
    </div>
  )
}

interface StepProps {
  /**
   * Calls `give` with an unused challenge, and ends the sign-in with what `give` resolves with. Null means that the
   * person canceled.
   */
  answer: (give: (challenge: string) => Promise<SignedIn | Challenge | null>) => Promise<void>
  /** Call it before the challenge is sent. */
  spend: () => void
}

function PasskeyStep({ answer, spend }: StepProps) {
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])

  async function handleClick(): Promise<void> {
    setBusy(true)
    setRefusal(null)
    try {
      const { askForPasskey, sign } = await import('../lib/passkeys.ts')
      await answer(async (challenge) => {
        const passkey = await sign(await askForPasskey(challenge))
        if (passkey === null) return null
        spend()
        return signInWithFactor({ challenge, passkey })
      })
    } catch (error) {
      setRefusal(errorMessage(error))
    }
    setBusy(false)
  }

  return (
    <>
      <p>Confirm with your fingerprint, face, PIN, or security key.</p>
      <button
        ref={button}
        type="button"
        className="button button-l button-primary"
        disabled={isBusy}
        onClick={handleClick}
      >
        {isBusy && <Spinner />}
        Use your passkey
      </button>
      <p className="login-refusal" role="alert">
        {refusal}
      </p>
    </>
  )
}

function CodeStep({ kind, answer, spend }: StepProps & { kind: 'totp' | 'recovery' }) {
  const id = useId()
  const form = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = form.formState
  const error = errors.code?.message
  const isRecovery = kind === 'recovery'
  const { setFocus } = form
  useEffect(() => setFocus('code'), [setFocus])

  async function handleValid({ code }: { code: string }): Promise<void> {
    try {
      await answer((challenge) => {
        spend()
        return signInWithFactor({ challenge, ...(isRecovery ? { recovery: code } : { code }) })
      })
    } catch (error) {
      form.setError('code', { message: errorMessage(error) }, { shouldFocus: true })
    }
  }

  return (
    <form noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(handleValid)}>
      <div className="field">
        <label htmlFor={id}>{isRecovery ? 'Recovery code' : 'Code from your authenticator app'}</label>
        <input
          {...form.register('code', { required: 'Code is required' })}
          id={id}
          type="text"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
        />
        {error !== undefined && (
          <p className="field-error" id={`${id}-error`} role="alert">
            {error}
          </p>
        )}
      </div>
      <button type="submit" className="button button-l button-primary" disabled={isSubmitting}>
        {isSubmitting && <Spinner />}
        {isSubmitting ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
}
