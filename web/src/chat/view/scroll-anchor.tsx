import { Component, type ReactNode, type RefObject } from 'react'

interface Anchor {
  row: Element
  top: number
}

interface ScrollAnchorProps {
  /** The scrolling element. */
  box: RefObject<HTMLElement | null>
  /** Contains the rows, in order. */
  list: RefObject<HTMLElement | null>
  /** Whether the list stays at its end. */
  following: RefObject<boolean>
  children: ReactNode
}

/**
 * Keeps the scroll position when rows change: at the end, or at the first visible row. Browsers do not anchor at the
 * very top, and some not at all. A class, because no hook runs right before the DOM changes.
 */
export class ScrollAnchor extends Component<ScrollAnchorProps> {
  override getSnapshotBeforeUpdate(): Anchor | null {
    const { box, list, following } = this.props
    if (following.current || !box.current || !list.current) return null
    const row = firstRowInView(box.current, list.current)
    return row && { row, top: row.getBoundingClientRect().top }
  }

  override componentDidMount(): void {
    scrollToEnd(this.props.box.current, this.props.list.current)
  }

  override componentDidUpdate(_props: ScrollAnchorProps, _state: unknown, anchor: Anchor | null): void {
    const { box, list, following } = this.props
    if (following.current) scrollToEnd(box.current, list.current)
    else if (box.current && anchor?.row.isConnected) {
      const moved = anchor.row.getBoundingClientRect().top - anchor.top
      if (moved !== 0) box.current.scrollTop += moved
    }
  }

  override render(): ReactNode {
    return this.props.children
  }
}

/** Scrolls to the newest row; without rows, the intro stays at its beginning. */
export function scrollToEnd(box: HTMLElement | null, list: HTMLElement | null): void {
  if (box && list?.firstElementChild) box.scrollTop = box.scrollHeight
}

function firstRowInView(box: HTMLElement, list: HTMLElement): Element | null {
  const rows = list.children
  let index = firstRowEndingBelow(list, box.getBoundingClientRect().top)
  // Not a day's heading: older messages of that day are inserted below it. Not the "New" line: it goes away.
  while (rows[index]?.matches('.chat-day, .chat-new-line')) index++
  return rows[index] ?? null
}

/** The index of the first row whose lower edge is below `y`, by binary search. */
export function firstRowEndingBelow(list: HTMLElement, y: number): number {
  const rows = list.children
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as Element).getBoundingClientRect().bottom <= y) low = middle + 1
    else high = middle
  }
  return low
}
