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

/** Fades a row out that leaves the list while `isVisible` says that the row with its index is on the screen. */
export function useFadeOut(
  row: RefObject<HTMLTableRowElement | null>,
  isVisible: (index: number) => boolean,
): void {
  useLayoutEffect(() => {
    const element = row.current
    return () => {
      // Measuring each row that scrolls away would lay the list out again and again.
      if (element && isVisible(Number(element.dataset.index))) fadeOut(element)
    }
  }, [row, isVisible])
}

function fadeOut(row: HTMLTableRowElement): void {
  const list = row.closest('.conversations')
  if (!list) return
  const top = row.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop
  // Strict mode runs this while the row stays, and a page that is left takes its list with it.
  queueMicrotask(() => {
    if (row.isConnected || !list.isConnected) return
    const ghost = row.cloneNode(true) as HTMLElement
    ghost.className = 'row-leaving'
    ghost.inert = true
    ghost.ariaHidden = 'true'
    ghost.style.top = `${top}px`
    ghost.style.marginTop = '0'
    ghost.addEventListener('animationend', () => ghost.remove())
    list.append(ghost)
  })
}
