import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

interface PageHeadingProps {
  /** Buttons or links beside the heading. */
  actions?: ReactNode
  children: ReactNode
}

/** Renders the page's head with its h1. The h1 gets the focus after a navigation, so that screen readers announce the page. */
export function PageHeading({ actions, children }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Only the first render checks this, so that a filter that changes the address later does not move the focus.
  const [arrived] = useState(useLocation().key !== 'default')
  useEffect(() => {
    if (arrived) heading.current?.focus({ preventScroll: true })
  }, [arrived])
  return (
    <header className="page-head">
      <h1 className="dashboard-heading" ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {actions}
    </header>
  )
}
