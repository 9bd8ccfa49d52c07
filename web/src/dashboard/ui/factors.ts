import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Factors } from '@proctorpass/shared/schemas/factors'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** What the caller can prove besides the password. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => callAsAdmin<Factors>(adminPaths.accountFactors, { signal }),
})

/** The state with which an admin is led to Account, because every admin needs a second factor. */
export const FACTOR_REQUIRED = 'factor-required'
