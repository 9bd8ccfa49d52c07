import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { type RefObject, useLayoutEffect, useState } from 'react'

const NONE: ReadonlySet<string> = new Set()

/** Returns the IDs of the conversations that the list's last change brought. The first rows do not count. */
export function useArrivals(rows: readonly ConversationSummary[]): ReadonlySet<string> {
  const [last, setLast] = useState({ rows, arrived: NONE })
  if (last.rows === rows) return last.arrived
  const before = new Set(last.rows.map(({ clientId }) => clientId))
  const arrived = new Set(rows.map(({ clientId }) => clientId).filter((clientId) => !before.has(clientId)))
  setLast({ rows, arrived })
  return arrived
}

/** Fades a row out that leaves the list while it is visible. A row that is scrolled away is not visible. */
export function useFadeOut(row: RefObject<HTMLTableRowElement | null>): void {
  useLayoutEffect(() => {
    const element = row.current
    return () => {
      if (element) fadeOut(element)
    }
  }, [row])
}

function fadeOut(row: HTMLTableRowElement): void {
  const list = row.closest('.conversations')
  const [from, within] = [row.getBoundingClientRect(), list?.getBoundingClientRect()]
  if (!list || !within || from.height === 0 || from.bottom < within.top || from.top > within.bottom) return
  const ghost = row.cloneNode(true) as HTMLElement
  ghost.className = 'row-leaving'
  ghost.inert = true
  ghost.ariaHidden = 'true'
  ghost.querySelector('.conversations-client')?.remove()
  ghost.style.top = `${from.top - within.top + list.scrollTop}px`
  ghost.style.marginTop = '0'
  ghost.addEventListener('animationend', () => ghost.remove())
  // Strict mode runs this while the row stays.
  queueMicrotask(() => {
    if (!row.isConnected) list.append(ghost)
  })
}
