import { PROFILE_FIELDS } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import type { Account } from '@proctorpass/shared/schemas/account'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { accountQuery, changeAccount } from '../ui/account.tsx'
import { optional, TextField } from '../ui/admin-form.tsx'
import { Group } from '../ui/group.tsx'
import { Loading } from '../ui/loading.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { Switch } from '../ui/switch.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { FaceField } from './face-field.tsx'

export function Profile() {
  const { data, error } = useQuery(accountQuery)
  return (
    <Group id="profile" title="Profile">
      {data === undefined && !error && <Loading />}
      {data === undefined && error && (
        <p role="alert" className="field-error">
          {errorMessage(error)}
        </p>
      )}
      {data !== undefined && (
        <div className="card">
          <FaceField account={data} />
          <OnDuty account={data} />
          <ProfileForm account={data} />
        </div>
      )}
    </Group>
  )
}

/** The switch saves at once. */
function OnDuty({ account }: { account: Account }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (isOn: boolean) => changeAccount(queryClient, { onDuty: isOn }),
    onSuccess: (_, isOn) => toast.success(isOn ? "You're on duty" : "You're off duty"),
    onError: (error) => toast.error(errorMessage(error)),
  })
  return (
    <Switch
      label="On duty"
      hint="When off duty, you aren't notified about new messages."
      checked={isPending ? variables : account.onDuty}
      onChange={mutate}
    />
  )
}

function ProfileForm({ account }: { account: Account }) {
  const queryClient = useQueryClient()
  const form = useAdminForm({
    defaultValues: { displayName: account.displayName ?? '', email: account.email ?? '' },
    async send({ displayName, email }) {
      const profile = { displayName: trimmed(displayName) || null, email: trimmed(email) || null }
      await changeAccount(queryClient, profile)
      return 'Profile saved'
    },
  })
  return (
    <form className="account-pair" {...form.props}>
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        hint="Visitors see it beside your messages. Leave blank to show the site's name."
        rule={optional(PROFILE_FIELDS.displayName)}
        type="text"
        dir="auto"
        autoComplete="nickname"
      />
      <TextField
        form={form}
        name="email"
        label="Email for alerts"
        hint="Leave blank to use the support address."
        rule={optional(PROFILE_FIELDS.email)}
        type="email"
        autoComplete="email"
      />
      <div className="card-end">
        <SubmitButton busy={form.busy}>Save profile</SubmitButton>
      </div>
    </form>
  )
}
