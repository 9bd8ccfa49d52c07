import type { Challenge } from '@proctorpass/shared/schemas/factors'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router'
import { Spinner } from '../components/spinner.tsx'
import { toast } from '../components/toast.ts'
import { useTimedText } from '../components/use-timed-text.ts'
import { errorMessage } from '../lib/error-message.ts'
import { signIn } from '../lib/session.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { ownPath } from '../metadata/canonical-path.ts'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SecondStep } from './second-step.tsx'
import { SignInShell } from './shell.tsx'

const REFUSAL_SHOWN_MS = 10_000

interface LoginFields {
  userName: string
  password: string
}

export function LoginPage() {
  const { brand } = useSiteConfig()
  const navigate = useNavigate()
  const location = useLocation()
  const form = useForm<LoginFields>({ defaultValues: { userName: '', password: '' } })
  const [refusal, showRefusal] = useTimedText(REFUSAL_SHOWN_MS)
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const { errors, isSubmitting } = form.formState

  function enter(userName: string): void {
    toast.success(`Welcome back ${userName}`)
    navigate(previousPath(location.state) ?? '/dashboard', { replace: true })
  }

  async function handleSubmit(fields: LoginFields): Promise<void> {
    showRefusal(null)
    try {
      const answer = await signIn(fields)
      if ('challenge' in answer) setChallenge(answer)
      else enter(answer.userName)
    } catch (error) {
      const message = errorMessage(error)
      showRefusal(message)
      toast.error(message)
    }
  }

  return (
    <SignInShell>
      <h1>
        <span className="login-area">Admin area</span> <small>Sign in to {brand}</small>
      </h1>
      {challenge !== null && (
        <SecondStep
          first={challenge}
          // A challenge works once, so the next code needs another one.
          ask={() => signIn(form.getValues())}
          onSignedIn={enter}
          onBack={() => setChallenge(null)}
        />
      )}
      <form
        hidden={challenge !== null}
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleSubmit)}
      >
        <Field
          label="Username"
          autoComplete="username webauthn"
          error={errors.userName?.message}
          field={form.register('userName', { required: 'Username is required' })}
        />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          error={errors.password?.message}
          field={form.register('password', { required: 'Password is required' })}
        />
        <p className="login-refusal" role="alert">
          {refusal}
        </p>
        <button type="submit" className="button button-l button-primary" disabled={isSubmitting}>
          {isSubmitting && <Spinner />}
          {isSubmitting ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      {challenge === null && <PasskeySignIn onSignedIn={enter} />}
    </SignInShell>
  )
}

interface FieldProps {
  label: string
  type?: 'text' | 'password'
  autoComplete: string
  error: string | undefined
  field: ReturnType<ReturnType<typeof useForm<LoginFields>>['register']>
}

function Field({ label, type = 'text', autoComplete, error, field }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...field}
        id={id}
        type={type}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** Returns the path that redirected to the sign-in. */
function previousPath(state: unknown): string | null {
  const { from } = (state ?? {}) as { from?: Partial<Location> }
  return from ? ownPath(`${from.pathname}${from.search ?? ''}${from.hash ?? ''}`) : null
}
