import { accountPaths } from '@proctorpass/shared/account-paths'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { passwordLengthProblem, unusablePassword } from '@proctorpass/shared/fields/password'
import { PASSWORD_MIN } from '@proctorpass/shared/limits'
import type { PasswordChange } from '@proctorpass/shared/schemas/account'
import type { Done } from '@proctorpass/shared/schemas/list'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useLocation } from 'react-router'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Notifications } from '../notifications/notifications-section.tsx'
import { POSTS } from '../posts/posts.ts'
import { REVIEWS } from '../reviews/reviews.ts'
import { AccountName } from '../ui/account.tsx'
import { Field } from '../ui/field.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { FACTOR_REQUIRED } from '../ui/query-client.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { Profile } from './profile-form.tsx'
import { RequiredFactor, SecondFactors } from './second-factors.tsx'
import { SESSIONS, Sessions } from './sessions.tsx'
import '../ui/content.css'

const PASSWORD_FIELDS = ['oldPassword', 'newPassword'] as const

export function AccountPage() {
  const { state } = useLocation()
  if (state === FACTOR_REQUIRED) {
    // Nothing else of the account is open to them.
    return (
      <section className="dashboard-page account">
        <PageHeading key={FACTOR_REQUIRED}>Set up a second factor</PageHeading>
        <RequiredFactor />
        <SecondFactors />
      </section>
    )
  }
  return (
    <section className="dashboard-page account">
      <PageHeading>Account</PageHeading>
      <Profile />
      <Notifications />
      <Password />
      <SecondFactors />
      <Sessions />
      <Samples />
    </section>
  )
}

function Password() {
  const queryClient = useQueryClient()
  const form = useForm<PasswordChange>({ defaultValues: { oldPassword: '', newPassword: '' } })
  const { errors, isSubmitting } = form.formState

  async function handleValid(change: PasswordChange): Promise<void> {
    try {
      const { message } = await callAsAdmin<Done>(accountPaths.password, {
        method: 'POST',
        body: change,
      })
      form.reset()
      toast.success(message)
      void queryClient.invalidateQueries({ queryKey: SESSIONS })
    } catch (error) {
      const wrong = refusedFields(error, PASSWORD_FIELDS)
      for (const { field, message } of wrong) form.setError(field, { message })
      toast.error(wrong[0]?.message ?? errorMessage(error))
    }
  }

  return (
    <form className="work-form" noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(handleValid)}>
      <h2>Change password</h2>
      <AccountName />
      <Field label="Current password" error={errors.oldPassword?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('oldPassword', { required: 'Password is required' })}
            type="password"
            autoComplete="current-password"
          />
        )}
      </Field>
      <Field
        label="New password"
        hint={`At least ${PASSWORD_MIN} characters. Signs you out everywhere else.`}
        error={errors.newPassword?.message}
      >
        {(shared) => (
          <input
            {...shared}
            {...form.register('newPassword', {
              required: 'Password is required',
              validate: (password) => {
                const problem = passwordLengthProblem(password)
                return problem === null || unusablePassword(problem)
              },
            })}
            type="password"
            autoComplete="new-password"
          />
        )}
      </Field>
      <div className="form-end">
        <SubmitButton busy={isSubmitting}>Change password</SubmitButton>
      </div>
    </form>
  )
}

/** The posts and reviews that the first start creates for a trial. */
function Samples() {
  const queryClient = useQueryClient()
  const { ask, dialog } = useDelete({
    title: 'Remove samples?',
    question: 'This deletes all sample posts and reviews. Your own content stays.',
    confirmLabel: 'Remove',
    list: POSTS,
    onDeleted: () => void queryClient.invalidateQueries({ queryKey: REVIEWS }),
  })
  return (
    <section className="work-form">
      <h2>Samples</h2>
      <p>A new site comes with sample posts and reviews. You can remove them in one step.</p>
      <div className="form-end">
        <button type="button" className="button button-quiet" onClick={() => ask(adminPaths.demo)}>
          Remove samples
        </button>
      </div>
      {dialog}
    </section>
  )
}
