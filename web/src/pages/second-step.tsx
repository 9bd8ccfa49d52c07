import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { Challenge } from '@proctorpass/shared/schemas/factors'
import { useEffect, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Spinner } from '../components/spinner.tsx'
import { errorMessage } from '../lib/error-message.ts'
import { signInWithFactor } from '../lib/session.ts'

interface SecondStepProps {
  first: Challenge
  /** Gives the password again. */
  ask: () => Promise<SignedIn | Challenge>
  onSignedIn: (userName: string) => void
  onBack: () => void
}

/** Asks for the code of the authenticator app, or for a recovery code. */
export function SecondStep({ first, ask, onSignedIn, onBack }: SecondStepProps) {
  const id = useId()
  const form = useForm({ defaultValues: { code: '' } })
  const unused = useRef<Challenge | null>(first)
  const [isRecovery, setRecovery] = useState(!first.factors.includes('totp'))
  const { errors, isSubmitting } = form.formState
  const error = errors.code?.message
  const label = isRecovery ? 'Recovery code' : 'Code from your authenticator app'
  const { setFocus } = form
  useEffect(() => setFocus('code'), [isRecovery, setFocus])

  async function handleValid({ code }: { code: string }): Promise<void> {
    try {
      const next = unused.current ?? (await ask())
      unused.current = null
      const answer =
        'challenge' in next
          ? await signInWithFactor({
              challenge: next.challenge,
              ...(isRecovery ? { recovery: code } : { code }),
            })
          : next
      if (!('challenge' in answer)) onSignedIn(answer.userName)
    } catch (error) {
      form.setError('code', { message: errorMessage(error) }, { shouldFocus: true })
    }
  }

  return (
    <form noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(handleValid)}>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input
          {...form.register('code', { required: 'Code is required' })}
          key={label}
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
      <button type="submit" className="button" disabled={isSubmitting}>
        {isSubmitting && <Spinner />}
        {isSubmitting ? 'Signing in…' : 'Sign in'}
      </button>
      {first.factors.length > 1 && (
        <button
          type="button"
          className="link-button"
          onClick={() => {
            form.reset()
            setRecovery(!isRecovery)
          }}
        >
          {isRecovery ? 'Use your authenticator app' : 'Use a recovery code'}
        </button>
      )}
      <button type="button" className="link-button" onClick={onBack}>
        Back
      </button>
    </form>
  )
}
