import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Factors } from '@proctorpass/shared/schemas/factors'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** What the caller can prove besides the password. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => callAsAdmin<Factors>(accountPaths.factors, { signal }),
})

export const hasFactor = ({ totp, passkeys }: Factors) => totp || passkeys.length > 0
