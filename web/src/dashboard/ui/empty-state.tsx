import type { ReactNode } from 'react'

interface EmptyStateProps {
  /** The text. Multiple spaces are kept. */
  message: ReactNode
  /** What to do next. */
  children?: ReactNode
}

/** In place of an empty list, below the heading of its page. */
export function EmptyState({ message, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <p className="list-words">{message}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}
