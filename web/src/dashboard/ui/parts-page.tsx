import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import './parts-page.css'

export interface PagePart {
  /** The ID of the part's `Group`. */
  id: string
  title: string
}

/** Renders a long page: the list of its parts, and beside it the parts in one column. */
export function PartsPage({ parts, children }: { parts: readonly PagePart[]; children: ReactNode }) {
  return (
    <div className="parts-page">
      <PartList parts={parts} />
      <div className="parts">{children}</div>
    </div>
  )
}

/** Lists the parts and marks the one that is on the screen. On narrow pages, the list is a row that scrolls sideways. */
function PartList({ parts }: { parts: readonly PagePart[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [current, setCurrent] = useState(parts[0]?.id)

  useEffect(() => {
    const scroller = list.current?.closest('.dashboard-main')
    if (!scroller) return
    const follow = () => setCurrent(partOnScreen(scroller, parts))
    scroller.addEventListener('scroll', follow, { passive: true })
    return () => scroller.removeEventListener('scroll', follow)
  }, [parts])

  useEffect(() => {
    const row = list.current
    const link = row?.querySelector<HTMLElement>(`[href="#${current}"]`)
    // `scrollIntoView` would also scroll the page.
    if (row && link) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2
  }, [current])

  function handleClick(event: MouseEvent, id: string): void {
    event.preventDefault()
    document.getElementById(id)?.scrollIntoView()
    document.getElementById(`${id}-heading`)?.focus({ preventScroll: true })
    // The last parts cannot reach the top of the screen.
    setCurrent(id)
  }

  return (
    <nav className="part-list" aria-label="On this page">
      <ul ref={list}>
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? 'true' : undefined}
              onClick={(event) => handleClick(event, id)}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Returns the ID of the last part that begins at the top of the screen, or of the last one at the page's end. */
function partOnScreen(scroller: Element, parts: readonly PagePart[]): string | undefined {
  const { scrollTop, scrollHeight, clientHeight } = scroller
  if (scrollTop + clientHeight >= scrollHeight - 2) return parts.at(-1)?.id
  // A chosen part is not below its own scroll padding, and a short one leaves room for the next part.
  const padding = Number.parseFloat(getComputedStyle(scroller).scrollPaddingBlockStart) || 0
  const line = scroller.getBoundingClientRect().top + padding + 8
  const begun = parts.filter(({ id }) => {
    const part = document.getElementById(id)
    return part !== null && part.getBoundingClientRect().top <= line
  })
  return (begun.at(-1) ?? parts[0])?.id
}
