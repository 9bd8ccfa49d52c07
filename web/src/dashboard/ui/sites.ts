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

/** Returns all websites, or an empty list until they are loaded. */
export function useSites(): Site[] {
  return useSitesQuery().data?.sites ?? NONE
}

/** Returns the present name of a conversation's site, or the name at its beginning if the site has been deleted. */
export function siteName(sites: readonly Site[], { _id, name }: { _id: string; name: string }): string {
  return sites.find((site) => site._id === _id)?.name ?? name
}
