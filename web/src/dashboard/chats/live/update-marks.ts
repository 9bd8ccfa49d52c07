import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { UpdateList } from '@proctorpass/shared/schemas/updates'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../../lib/session.ts'

export const updatesQuery = queryOptions({
  queryKey: ['chat-updates'],
  queryFn: ({ signal }) => callAsAdmin<UpdateList>(adminPaths.chatUpdates, { signal }),
  staleTime: 5_000,
})

const MARKS = { mention: 'Mentioned you', assignment: 'Assigned to you', reply: null } as const

/** Returns, by clientId, what a conversation's row says about the unseen updates in it. */
export function useUpdateMarks(): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...updatesQuery, enabled: false })
  const marks = new Map<string, string>()
  for (const { clientId, kind, isSeen } of data?.updates ?? []) {
    const mark = MARKS[kind]
    if (mark !== null && !isSeen && marks.get(clientId) !== MARKS.mention) marks.set(clientId, mark)
  }
  return marks
}
