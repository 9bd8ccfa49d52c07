import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Account, AccountChange } from '@proctorpass/shared/schemas/account'
import type { Factors } from '@proctorpass/shared/schemas/factors'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { useAuth } from '../../lib/auth-store.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { TEAM } from './team.ts'

/** Reads the caller's own account. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => callAsAdmin<Account>(accountPaths.account, { signal }),
})

/** Changes the caller's own account. */
export async function changeAccount(queryClient: QueryClient, body: AccountChange): Promise<void> {
  const account = await callAsAdmin<Account>(accountPaths.account, { method: 'PATCH', body })
  queryClient.setQueryData(accountQuery.queryKey, account)
  void queryClient.invalidateQueries({ queryKey: TEAM })
}

/** Tells a password manager whose password a form wants, if the form has no field for the name. */
export function AccountName() {
  const userName = useAuth((auth) => auth.userName)
  return (
    <input
      className="visually-hidden"
      type="text"
      autoComplete="username"
      value={userName ?? ''}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}

/** Reads what the caller can prove besides the password. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => callAsAdmin<Factors>(accountPaths.factors, { signal }),
})

export const hasFactor = ({ totp, passkeys }: Factors) => totp || passkeys.length > 0
