import { Component, type ReactNode, type RefObject } from 'react'

interface Place {
  row: Element
  top: number
}

interface KeepPlaceProps {
  /** What scrolls. */
  box: RefObject<HTMLElement | null>
  /** Its rows, in order. */
  list: RefObject<HTMLElement | null>
  /** Whether the reader is at the end and wants to stay there. */
  following: RefObject<boolean>
  children: ReactNode
}

/**
 * Whatever changes above, in or below: a reader at the end stays at the end, any other keeps the row at the top of
 * the box where it is. By hand, because browsers do it never at the very top, and some not at all. A class, because
 * no hook can look at the page right before it changes.
 */
export class KeepPlace extends Component<KeepPlaceProps> {
  override getSnapshotBeforeUpdate(): Place | null {
    const { box, list, following } = this.props
    if (following.current || !box.current || !list.current) return null
    const row = firstRowInView(box.current, list.current)
    return row && { row, top: row.getBoundingClientRect().top }
  }

  override componentDidMount(): void {
    showEnd(this.props.box.current, this.props.list.current)
  }

  override componentDidUpdate(_props: KeepPlaceProps, _state: unknown, place: Place | null): void {
    const { box, list, following } = this.props
    if (following.current) showEnd(box.current, list.current)
    else if (box.current && place?.row.isConnected) {
      const moved = place.row.getBoundingClientRect().top - place.top
      if (moved !== 0) box.current.scrollTop += moved
    }
  }

  override render(): ReactNode {
    return this.props.children
  }
}

/** Goes to the newest row; without rows, what stands above them is read from its beginning. */
export function showEnd(box: HTMLElement | null, list: HTMLElement | null): void {
  if (box && list?.firstElementChild) box.scrollTop = box.scrollHeight
}

function firstRowInView(box: HTMLElement, list: HTMLElement): Element | null {
  const top = box.getBoundingClientRect().top
  const rows = list.children
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as Element).getBoundingClientRect().bottom <= top) low = middle + 1
    else high = middle
  }
  // The name of a day is no landmark: older messages of the same day go in below it.
  while (rows[low]?.classList.contains('chat-day')) low++
  return rows[low] ?? null
}
