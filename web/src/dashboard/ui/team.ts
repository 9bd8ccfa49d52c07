import { adminPaths } from '@proctorpass/shared/admin-paths'
import { importNameOf } from '@proctorpass/shared/import-author'
import type { Team, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

export const TEAM = ['team']

const REFETCH_MS = 60_000
const NONE: TeamAdmin[] = []

/** Returns all admins, or an empty list until they are loaded. */
export function useTeam(): TeamAdmin[] {
  const { data } = useTeamQuery()
  return data?.admins ?? NONE
}

export const teamQuery = queryOptions({
  queryKey: TEAM,
  queryFn: ({ signal }) => callAsAdmin<Team>(adminPaths.team, { signal }),
  // Several parts of a page use this query and share one request.
  staleTime: 5_000,
})

export function useTeamQuery() {
  return useQuery({ ...teamQuery, refetchInterval: REFETCH_MS })
}

/** Whether conversations can be assigned to the admin. */
export const isActive = ({ disabled, invited }: TeamAdmin): boolean => !disabled && !invited

/** Returns the admins who may have done something: the active ones, and then the disabled ones. */
export function pastAdmins(team: readonly TeamAdmin[]): TeamAdmin[] {
  return [...team.filter(isActive), ...team.filter(({ disabled, invited }) => disabled && !invited)]
}

/** Returns what follows an admin's name in a list from which to choose. */
export const stateSuffix = ({ disabled, invited }: TeamAdmin): string =>
  disabled ? ' (disabled)' : invited ? ' (invited)' : ''

/** Returns "You" for the admin themselves, and "Admin" for an unknown one. */
export function adminName(team: readonly TeamAdmin[], userId: string, ownId: string | null): string {
  if (userId === ownId) return 'You'
  const admin = team.find((each) => each.userId === userId)
  return admin === undefined ? (importNameOf(userId) ?? 'Admin') : (admin.displayName ?? admin.userName)
}
