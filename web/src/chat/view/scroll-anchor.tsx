import { Component, type ReactNode, type RefObject } from 'react'

/** A row, and its distance in pixels from the top of the scrolling element, at a scroll position. */
export interface Anchor {
  row: Element
  top: number
  scrollTop: number
}

interface ScrollAnchorProps {
  /** The scrolling element. */
  box: RefObject<HTMLElement | null>
  /** Contains the rows, in order. */
  list: RefObject<HTMLElement | null>
  /** Whether the list stays at its end. */
  following: RefObject<boolean>
  /** The row at the reader's position; null at the end. */
  anchor: RefObject<Anchor | null>
  children: ReactNode
}

/**
 * Keeps the scroll position when rows change: at the end, or at the first visible row. Browsers do not anchor at the
 * very top, and some do not anchor at all. This is a class, because no hook runs right before the DOM changes.
 */
export class ScrollAnchor extends Component<ScrollAnchorProps> {
  /**
   * The scroll position after the last update at the end. It is 0 without rows, because reading it would cause a
   * needless layout.
   */
  #end = 0
  #follows = true

  override getSnapshotBeforeUpdate(): Anchor | null {
    const { box, list, following, anchor } = this.props
    // A smaller position means that the reader scrolled up, and that the scroll event has not arrived yet. Rows that
    // grow do not scroll.
    const hasLeft = this.#end > 0 && box.current && box.current.scrollTop < this.#end && !isAtEnd(box.current)
    this.#follows = following.current && !hasLeft
    return this.#follows ? null : findAnchor(box.current, list.current, anchor.current)
  }

  override componentDidMount(): void {
    scrollToEnd(this.props.box.current, this.props.list.current)
  }

  override componentDidUpdate(_props: ScrollAnchorProps, _state: unknown, anchor: Anchor | null): void {
    const { box, list } = this.props
    if (this.#follows) this.#end = scrollToEnd(box.current, list.current)
    else keepAnchor(box.current, anchor)
    this.props.anchor.current = anchor
  }

  override render(): ReactNode {
    return this.props.children
  }
}

/** The list follows new messages while it is closer to its end than this. */
const END_PX = 48

export function isAtEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < END_PX
}

/**
 * Scrolls to the newest row and returns the position. Returns 0 without rows, because the intro stays at its beginning.
 */
export function scrollToEnd(box: HTMLElement | null, list: HTMLElement | null): number {
  if (!box || !list?.firstElementChild) return 0
  box.scrollTop = box.scrollHeight
  return box.scrollTop
}

/**
 * Returns the first row in view. Returns `last` until the reader scrolls, because the rows beside it may have estimated
 * heights.
 */
export function findAnchor(
  box: HTMLElement | null,
  list: HTMLElement | null,
  last: Anchor | null,
): Anchor | null {
  if (!box || !list) return null
  if (last?.row.isConnected && last.scrollTop === box.scrollTop) return last
  const { top } = box.getBoundingClientRect()
  let index = firstRowEndingBelow(list, top)
  // A day's heading cannot be the anchor, because older messages from that day are inserted below it. The "New" line
  // cannot either, because it disappears.
  while (list.children[index]?.matches('.chat-day')) index++
  const row = list.children[index]
  return row ? { row, top: row.getBoundingClientRect().top - top, scrollTop: box.scrollTop } : null
}

/** Scrolls so that the row is where it was. */
export function keepAnchor(box: HTMLElement | null, anchor: Anchor | null): void {
  if (!box || !anchor?.row.isConnected) return
  const moved = anchor.row.getBoundingClientRect().top - box.getBoundingClientRect().top - anchor.top
  if (moved === 0) return
  box.scrollTop += moved
  anchor.scrollTop = box.scrollTop
}

/** Returns the index of the first row whose lower edge is below `y`, by binary search. */
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
