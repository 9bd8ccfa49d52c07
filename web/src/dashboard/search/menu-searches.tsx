import { Bookmark } from 'virtual:icons'
import { useEffect } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { savedAs, useSavedSearches } from '../ui/saved-searches.ts'
import { useCommands } from '../ui/shortcuts.ts'

const NUMBER_KEY = 'saved-searches'

/** Renders the menu's entries for the admin's saved searches, and offers them as commands. */
export function MenuSearches({ collapsed }: { collapsed: boolean }) {
  const { data } = useSavedSearches()
  const searches = data?.searches
  const number = searches?.length
  const { pathname, search: address } = useLocation()
  const navigate = useNavigate()
  const here = pathname === '/dashboard/search' ? savedAs(searches ?? [], new URLSearchParams(address)) : null
  useCommands(
    (searches ?? []).map(({ name, query }) => ({
      label: `Search: ${name}`,
      icon: Bookmark,
      run: () => navigate(addressOf(query)),
    })),
    'frame',
  )
  // The next visit keeps as many places, so that the entries below do not move.
  useEffect(() => {
    if (number !== undefined) writeStorage(NUMBER_KEY, number === 0 ? null : String(number))
  }, [number])

  if (searches === undefined) {
    const places = Math.min(20, Number(readStorage(NUMBER_KEY)) || 0)
    return Array.from({ length: places }, (_, at) => (
      <li key={at} className="dashboard-menu-place" aria-hidden="true" />
    ))
  }
  return searches.map((search) => {
    const { _id, name, query, count, more } = search
    const shown = more ? `${count}+` : String(count)
    return (
      <li key={_id}>
        <Link
          to={addressOf(query)}
          data-tip={collapsed ? name : undefined}
          aria-current={search === here ? 'page' : undefined}
        >
          <Icon of={Bookmark} />
          <bdi className="dashboard-menu-label">{name}</bdi>{' '}
          <span className="dashboard-menu-count">
            {shown}
            <span className="visually-hidden">{count === 1 && !more ? ' result' : ' results'}</span>
          </span>
        </Link>
      </li>
    )
  })
}

const addressOf = (query: string) => `/dashboard/search?${query}`
