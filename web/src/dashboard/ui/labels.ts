import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { LabelList } from '@proctorpass/shared/schemas/inbox'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** Reads the labels in use, to choose from. */
export const labelsQuery = queryOptions({
  queryKey: ['chat-labels'],
  queryFn: ({ signal }) => callAsAdmin<LabelList>(adminPaths.chatLabels, { signal }),
  staleTime: 20_000,
})
