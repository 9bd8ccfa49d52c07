import type { Counts } from '@proctorpass/shared/schemas/inbox'

/**
 * The open conversations by site. Those of our own pages are the rest, so that no store counts them. Empty while no
 * conversation of a site is open.
 */
export function openBySite(open: number, ofSites: Record<string, number>): Pick<Counts, 'sites'> {
  const counted = Object.values(ofSites)
  if (counted.length === 0) return {}
  const own = open - counted.reduce((sum, count) => sum + count)
  return { sites: own > 0 ? { ...ofSites, own } : ofSites }
}
