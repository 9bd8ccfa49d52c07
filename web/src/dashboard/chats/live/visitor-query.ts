import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../../lib/session.ts'

/** The data of a visitor. */
export const visitorQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['visitor', clientId],
    queryFn: ({ signal }) => callAsAdmin<Visitor>(adminPaths.conversationVisitor(clientId), { signal }),
    staleTime: 5_000,
  })
