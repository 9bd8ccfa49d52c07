import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

/** The h1. Gets the focus after a navigation, so that screen readers announce the page. */
export function PageHeading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Of the first render: a filter in the address is no arrival, and keeps the focus.
  const [arrived] = useState(useLocation().key !== 'default')
  useEffect(() => {
    if (arrived) heading.current?.focus({ preventScroll: true })
  }, [arrived])
  return (
    <h1 className="dashboard-heading" ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
