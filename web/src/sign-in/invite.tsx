import { AppError } from '@proctorpass/shared/errors'
import { passwordLengthProblem, unusablePassword } from '@proctorpass/shared/fields/password'
import { PASSWORD_MIN } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { InvitedName } from '@proctorpass/shared/schemas/team'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { Spinner } from '../components/spinner.tsx'
import { toast } from '../components/toast.ts'
import { callApi } from '../lib/api.ts'
import { errorMessage, refusedFields } from '../lib/error-message.ts'
import { acceptInvite } from '../lib/session.ts'
import { SignInShell } from './shell.tsx'

/**
 * Lets an invited admin choose a password. The token is after the `#`, because browsers do not send that part to
 * servers.
 */
export function InvitePage() {
  const [token] = useState(() => window.location.hash.slice(1))
  /** Says why the link does not work. Null while it may work. */
  const [refusal, setRefusal] = useState<string | null>(
    token === '' ? 'Open this page with the whole link from your invitation.' : null,
  )
  useEffect(() => {
    // This removes the token from the address bar and the history.
    if (window.location.hash !== '') {
      window.history.replaceState(window.history.state, '', window.location.pathname)
    }
  }, [])

  return (
    <SignInShell>
      <h1>{refusal === null ? 'Join the team' : "This link doesn't work"}</h1>
      {refusal === null ? (
        <ChoosePassword token={token} onRefused={setRefusal} />
      ) : (
        <>
          <p role="alert">{refusal}</p>
          <p>
            <Link to="/login">Sign in</Link>
          </p>
        </>
      )}
    </SignInShell>
  )
}

function ChoosePassword({ token, onRefused }: { token: string; onRefused: (reason: string) => void }) {
  const navigate = useNavigate()
  const id = useId()
  const form = useForm({ defaultValues: { password: '' } })
  const [failure, setFailure] = useState<string | null>(null)
  const userName = useInvitedName(token, onRefused)
  const { errors, isSubmitting } = form.formState
  const error = errors.password?.message

  async function handleValid({ password }: { password: string }): Promise<void> {
    setFailure(null)
    try {
      await acceptInvite({ token, password })
      toast.success(`Welcome, ${userName}`)
      navigate('/dashboard/chats', { replace: true })
    } catch (error) {
      const [wrong] = refusedFields(error, ['password'])
      if (wrong) form.setError('password', { message: wrong.message }, { shouldFocus: true })
      else if (error instanceof AppError && error.code === 'not-found') onRefused(error.message)
      else setFailure(errorMessage(error))
    }
  }

  return (
    <form noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(handleValid)}>
      <div className="field">
        <label htmlFor={`${id}-name`}>Username</label>
        <input id={`${id}-name`} type="text" autoComplete="username" readOnly value={userName} />
        <p className="field-hint">You'll sign in with this name</p>
      </div>
      <div className="field">
        <label htmlFor={id}>New password</label>
        <input
          {...form.register('password', {
            required: 'Password is required',
            validate: (password) => {
              const problem = passwordLengthProblem(password)
              return problem === null || unusablePassword(problem)
            },
          })}
          id={id}
          type="password"
          autoComplete="new-password"
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-hint${error === undefined ? '' : ` ${id}-error`}`}
        />
        <p className="field-hint" id={`${id}-hint`}>
          Use at least {PASSWORD_MIN} characters
        </p>
        {error !== undefined && (
          <p className="field-error" id={`${id}-error`}>
            {error}
          </p>
        )}
      </div>
      <p className="login-refusal" role="alert">
        {failure}
      </p>
      <button type="submit" className="button button-l button-primary" disabled={isSubmitting}>
        {isSubmitting && <Spinner />}
        {isSubmitting ? 'Signing in…' : 'Set password and sign in'}
      </button>
    </form>
  )
}

/** Returns the invited admin's name, which is empty until it is known. */
function useInvitedName(token: string, onRefused: (reason: string) => void): string {
  const [userName, setUserName] = useState('')
  const refuse = useEffectEvent(onRefused)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    callApi<InvitedName>(`${paths.invite}/name`, { method: 'POST', body: { token }, signal }).then(
      (invited) => setUserName(invited.userName),
      // Any other failure is shown when the form is sent.
      (error) => {
        if (error instanceof AppError && error.code === 'not-found') refuse(error.message)
      },
    )
    return () => controller.abort()
  }, [token])
  return userName
}
