import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Account } from '@proctorpass/shared/schemas/account'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** The caller's own account. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => callAsAdmin<Account>(accountPaths.account, { signal }),
})
