import type { Account, AccountChange } from '@proctorpass/shared/schemas/account'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { accountQuery, changeAccount } from '../ui/account.tsx'
import { liveConfigQuery, NEEDS_MAIL } from '../ui/live-config.ts'
import { Loading } from '../ui/loading.tsx'
import { Switch } from '../ui/switch.tsx'
import { ownZone, ZoneField } from '../ui/zone-field.tsx'

/** Turns the mail with the week's figures on and off. Both fields save at once. */
export function WeeklyMail() {
  const account = useQuery(accountQuery)
  const config = useQuery(liveConfigQuery)
  // The profile shows why the account could not be read.
  if (account.isError && account.data === undefined) return null
  return (
    <>
      <h3 className="notifications-heading">Email</h3>
      {account.data === undefined || config.isPending ? (
        <Loading />
      ) : (
        <Fields account={account.data} hasMail={config.data?.chat.mail !== false} />
      )}
    </>
  )
}

function Fields({ account, hasMail }: { account: Account; hasMail: boolean }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (change: AccountChange) => changeAccount(queryClient, change),
    onSuccess: (_, { weeklyMail }) => {
      if (weeklyMail === undefined) toast.success('Time zone saved')
      else toast.success(weeklyMail ? 'The weekly email is on' : 'The weekly email is off')
    },
    onError: (error) => toast.error(errorMessage(error)),
  })
  const { weeklyMail, timeZone } = { ...account, ...(isPending && variables) }
  const reason = reasonAgainst(account, hasMail)
  const zone = timeZone ?? ownZone()
  return (
    <div className="card">
      <Switch
        label="Weekly email"
        hint={reason ?? "Every Monday at 8:00: last week's figures from Reports."}
        checked={weeklyMail}
        // An admin can always turn it off.
        disabled={reason !== null && !weeklyMail}
        onChange={(isOn) => mutate(isOn ? { weeklyMail: true, timeZone: zone } : { weeklyMail: false })}
      />
      {weeklyMail && (
        <ZoneField zone={zone} error={undefined} onChange={(name) => mutate({ timeZone: name })} />
      )}
    </div>
  )
}

/** Says why no mail can be sent. Null if it can. */
function reasonAgainst({ email }: Account, hasMail: boolean): string | null {
  if (!hasMail) return NEEDS_MAIL
  return email === null ? 'To turn it on, add your email to your profile.' : null
}
