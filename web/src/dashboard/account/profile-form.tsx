import { accountPaths } from '@proctorpass/shared/account-paths'
import { PROFILE_FIELDS } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import type { Account, AccountChange } from '@proctorpass/shared/schemas/account'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { accountQuery } from '../ui/account.tsx'
import { Field } from '../ui/field.tsx'
import { Loading } from '../ui/loading.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { Switch } from '../ui/switch.tsx'
import { TEAM } from '../ui/team.ts'

/** What an admin says about themselves. */
export function Profile() {
  const { data, error } = useQuery(accountQuery)
  return (
    <section className="work-form">
      <h2>Profile</h2>
      {data === undefined && !error && <Loading />}
      {data === undefined && error && (
        <p role="alert" className="field-error">
          {errorMessage(error)}
        </p>
      )}
      {data !== undefined && (
        <>
          <OnDuty account={data} />
          <ProfileForm account={data} />
        </>
      )}
    </section>
  )
}

async function change(queryClient: QueryClient, body: AccountChange): Promise<void> {
  const account = await callAsAdmin<Account>(accountPaths.account, { method: 'PATCH', body })
  queryClient.setQueryData(accountQuery.queryKey, account)
  void queryClient.invalidateQueries({ queryKey: TEAM })
}

/** Saved at once. */
function OnDuty({ account }: { account: Account }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (isOn: boolean) => change(queryClient, { onDuty: isOn }),
    onSuccess: (_, isOn) => toast.success(isOn ? "You're on duty" : "You're off duty"),
    onError: (error) => toast.error(errorMessage(error)),
  })
  return (
    <Switch
      label="On duty"
      hint="Off duty, you aren't alerted to new messages."
      checked={isPending ? variables : account.onDuty}
      onChange={mutate}
    />
  )
}

function ProfileForm({ account }: { account: Account }) {
  const queryClient = useQueryClient()
  const form = useForm({
    defaultValues: { displayName: account.displayName ?? '', email: account.email ?? '' },
  })
  const { errors, isSubmitting } = form.formState
  const optional = (field: keyof typeof PROFILE_FIELDS) => (text: string) =>
    trimmed(text) === '' || (PROFILE_FIELDS[field].problem(text) ?? true)

  async function handleValid(values: { displayName: string; email: string }): Promise<void> {
    const [displayName, email] = [trimmed(values.displayName) || null, trimmed(values.email) || null]
    try {
      await change(queryClient, { displayName, email })
      toast.success('Profile saved')
    } catch (error) {
      const refused = refusedFields(error, ['displayName', 'email'])
      for (const { field, message } of refused) form.setError(field, { message })
      toast.error(refused[0]?.message ?? errorMessage(error))
    }
  }

  return (
    <form className="work-form" noValidate aria-busy={isSubmitting} onSubmit={form.handleSubmit(handleValid)}>
      <Field
        label="Display name"
        hint="Visitors see it beside your messages. Empty: they see the name of the site."
        error={errors.displayName?.message}
      >
        {(shared) => (
          <input
            {...shared}
            {...form.register('displayName', { validate: optional('displayName') })}
            type="text"
            dir="auto"
            autoComplete="nickname"
          />
        )}
      </Field>
      <Field
        label="Email for alerts"
        hint="Empty: they go to the support address."
        error={errors.email?.message}
      >
        {(shared) => (
          <input
            {...shared}
            {...form.register('email', { validate: optional('email') })}
            type="email"
            autoComplete="email"
          />
        )}
      </Field>
      <div className="form-end">
        <SubmitButton busy={isSubmitting}>Save profile</SubmitButton>
      </div>
    </form>
  )
}
