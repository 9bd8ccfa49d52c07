import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

interface PageHeadingProps {
  /** Buttons or links beside the heading. */
  actions?: ReactNode
  children: ReactNode
}

/** Renders the page's head with its h1. */
export function PageHeading({ actions, children }: PageHeadingProps) {
  return (
    <header className="page-head">
      <Heading>{children}</Heading>
      {actions}
    </header>
  )
}

/** Renders the page's h1. It gets the focus after a navigation, so that screen readers announce the page. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Only the first render checks this, so that a filter that changes the address later does not move the focus.
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
