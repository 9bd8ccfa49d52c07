import { Trash2 } from 'virtual:icons'
import { accountPaths } from '@proctorpass/shared/account-paths'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { passwordLengthProblem, unusablePassword } from '@proctorpass/shared/fields/password'
import { PASSWORD_MIN } from '@proctorpass/shared/limits'
import type { PasswordChange } from '@proctorpass/shared/schemas/account'
import type { Done } from '@proctorpass/shared/schemas/list'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { callAsAdmin } from '../../lib/session.ts'
import { Notifications } from '../notifications/notifications-section.tsx'
import { POSTS } from '../posts/posts.ts'
import { REVIEWS } from '../reviews/reviews.ts'
import { AccountName } from '../ui/account.tsx'
import { required, TextField } from '../ui/admin-form.tsx'
import { Group } from '../ui/group.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PartsPage } from '../ui/parts-page.tsx'
import { FACTOR_REQUIRED } from '../ui/query-client.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { Profile } from './profile-form.tsx'
import { RequiredFactor, SecondFactors } from './second-factors.tsx'
import { SESSIONS, Sessions } from './sessions.tsx'
import './account.css'

const PASSWORD_REQUIRED = 'Password is required'

const PARTS = [
  { id: 'profile', title: 'Profile' },
  { id: 'notifications', title: 'Notifications' },
  { id: 'password', title: 'Change password' },
  { id: 'passkeys', title: 'Passkeys' },
  { id: 'authenticator', title: 'Authenticator app' },
  { id: 'sessions', title: 'Sessions' },
  { id: 'samples', title: 'Samples' },
]

export function AccountPage() {
  const { state } = useLocation()
  if (state === FACTOR_REQUIRED) {
    // Without a second factor, the server lets the admin use no other part of the account.
    return (
      <section className="dashboard-page account">
        <PageHeading key={FACTOR_REQUIRED}>Set up a second factor</PageHeading>
        <div className="account-required">
          <RequiredFactor />
          <SecondFactors />
        </div>
      </section>
    )
  }
  return (
    <section className="dashboard-page account">
      <PageHeading>Account</PageHeading>
      <PartsPage parts={PARTS}>
        <Profile />
        <Notifications />
        <Password />
        <SecondFactors />
        <Sessions />
        <Samples />
      </PartsPage>
    </section>
  )
}

const NEW_PASSWORD = {
  problem(password: string) {
    if (password === '') return PASSWORD_REQUIRED
    const problem = passwordLengthProblem(password)
    return problem === null ? null : unusablePassword(problem)
  },
}

function Password() {
  const queryClient = useQueryClient()
  const form = useAdminForm<PasswordChange>({
    defaultValues: { oldPassword: '', newPassword: '' },
    async send(body) {
      const { message } = await callAsAdmin<Done>(accountPaths.password, { method: 'POST', body })
      form.restart({ oldPassword: '', newPassword: '' })
      void queryClient.invalidateQueries({ queryKey: SESSIONS })
      return message
    },
  })
  return (
    <Group id="password" title="Change password">
      <form className="card" {...form.props}>
        <div className="account-pair">
          <AccountName />
          <TextField
            form={form}
            name="oldPassword"
            label="Current password"
            rule={required(PASSWORD_REQUIRED)}
            type="password"
            autoComplete="current-password"
          />
          <TextField
            form={form}
            name="newPassword"
            label="New password"
            hint={`At least ${PASSWORD_MIN} characters. Changing it signs you out everywhere else.`}
            rule={NEW_PASSWORD}
            type="password"
            autoComplete="new-password"
          />
        </div>
        <div className="card-end">
          <SubmitButton busy={form.busy} isPlain>
            Change password
          </SubmitButton>
        </div>
      </form>
    </Group>
  )
}

/** Deletes the posts and reviews that the first start creates for a trial. */
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
    <Group
      id="samples"
      title="Samples"
      note="A new site comes with sample posts and reviews. You can remove them in one step."
    >
      <div>
        <button type="button" className="button button-red" onClick={() => ask(adminPaths.demo)}>
          <Icon of={Trash2} />
          Remove samples
        </button>
      </div>
      {dialog}
    </Group>
  )
}
