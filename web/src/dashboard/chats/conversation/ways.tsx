import { ArrowDown, ArrowLeft } from 'virtual:icons'
import { Link } from 'react-router'
import { Icon } from '../../../components/icon.tsx'
import { ariaKeys } from '../../ui/shortcuts.ts'
import { searchOf, useListFilter } from '../live/filters.ts'
import { useNeighbors } from './use-neighbors.ts'

/** Stands over the list beside a conversation, and leads to the whole list and to the next visitor in line. */
export function ListHead({ clientId }: { clientId: string }) {
  const { nextWaiting } = useNeighbors(clientId, undefined)
  return (
    <header className="pane-head">
      <WayBack />
      {nextWaiting && <WayOn to={nextWaiting} />}
    </header>
  )
}

/** Returns the address of the list from which a conversation was opened. */
export function useListAddress(): string {
  const [filter] = useListFilter()
  return `/dashboard/chats${searchOf(filter)}`
}

/** Leads to the list of conversations. With `isIcon`, the words are only its name. */
export function WayBack({ isIcon = false }: { isIcon?: boolean }) {
  const to = useListAddress()
  return (
    <Link
      className={isIcon ? 'icon-button' : 'button button-quiet'}
      to={to}
      aria-label={isIcon ? 'All conversations' : undefined}
    >
      <Icon of={ArrowLeft} />
      {!isIcon && 'All conversations'}
    </Link>
  )
}

/** Leads to the visitor who waits after this one. With `isIcon`, the words are only its name. */
export function WayOn({ to, isIcon = false }: { to: string; isIcon?: boolean }) {
  return (
    <Link
      className={isIcon ? 'icon-button' : 'button'}
      to={to}
      aria-label={isIcon ? 'Next in line' : undefined}
      aria-keyshortcuts={ariaKeys('alt+j')}
      data-tip="Next in line"
    >
      {!isIcon && 'Next in line'}
      <Icon of={ArrowDown} />
    </Link>
  )
}
