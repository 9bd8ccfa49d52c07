import type { ReactNode } from 'react'

interface EmptyStateProps {
  /** The text, which keeps multiple spaces. */
  message: ReactNode
  /** What the admin can do next. */
  children?: ReactNode
}

/** Rendered instead of an empty list, below its page's heading. */
export function EmptyState({ message, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <p className="list-words">{message}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}
