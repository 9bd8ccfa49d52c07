import { ID_PATTERN } from '@proctorpass/shared/limits'
import { useSitesQuery } from '../ui/sites.ts'
import { useTeamQuery } from '../ui/team.ts'

const ID = new RegExp(ID_PATTERN)
const SITE_ID = /^[A-Za-z0-9]{20}$/

/** Someone or something that a filter may name. */
interface Named {
  id: string
  names: readonly string[]
}

/**
 * Replaces the names of admins and websites that were typed with their IDs, and returns what an ID is called. The search
 * is null until the names are known. The server refuses an unknown name.
 */
export function useNamedFilters(search: URLSearchParams): {
  search: URLSearchParams | null
  names: ReadonlyMap<string, string>
} {
  const team = useTeamQuery()
  const sites = useSitesQuery()
  const admins = (team.data?.admins ?? []).map(({ userId, userName, displayName }) => ({
    id: userId,
    names: displayName === null ? [userName] : [displayName, userName],
  }))
  const websites = (sites.data?.sites ?? []).map(({ _id, name }) => ({ id: _id, names: [name] }))
  const names = new Map([...admins, ...websites].map((each) => [each.id, each.names[0] ?? '']))

  const from = search.get('from')
  const site = search.get('site')
  const isNamedAdmin = from !== null && from !== 'visitor' && from !== 'me' && !ID.test(from)
  const isNamedSite = site !== null && site !== 'own' && !SITE_ID.test(site)
  if ((isNamedAdmin && team.isPending) || (isNamedSite && sites.isPending)) return { search: null, names }
  const named = new URLSearchParams(search)
  if (isNamedAdmin) named.set('from', idOf(admins, from))
  if (isNamedSite) named.set('site', idOf(websites, site))
  return { search: named, names }
}

/** Returns the ID for a name, or for the beginning of one, in any case. */
function idOf(all: readonly Named[], typed: string): string {
  const wanted = typed.toLowerCase()
  const find = (fits: (name: string) => boolean) =>
    all.find(({ names }) => names.some((name) => fits(name.toLowerCase())))
  return (find((name) => name === wanted) ?? find((name) => name.startsWith(wanted)))?.id ?? typed
}
