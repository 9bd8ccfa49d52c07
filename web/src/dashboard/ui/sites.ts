import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Site, SiteList } from '@proctorpass/shared/schemas/site'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

export const SITES = ['sites']
const NONE: Site[] = []

const sitesQuery = queryOptions({
  queryKey: SITES,
  queryFn: ({ signal }) => callAsAdmin<SiteList>(adminPaths.sites, { signal }),
  staleTime: 60_000,
})

export const useSitesQuery = () => useQuery(sitesQuery)

/** All websites; empty until they are loaded. */
export function useSites(): Site[] {
  return useSitesQuery().data?.sites ?? NONE
}

/** The present name of a conversation's site; the one it began with once the site is deleted. */
export function siteName(sites: readonly Site[], { _id, name }: { _id: string; name: string }): string {
  return sites.find((site) => site._id === _id)?.name ?? name
}
