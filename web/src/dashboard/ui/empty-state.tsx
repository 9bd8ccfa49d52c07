import type { ReactNode } from 'react'

interface EmptyStateProps {
  /** The text, which keeps multiple spaces. */
  message: ReactNode
  /** What the admin can do next. */
  children?: ReactNode
  /** One button or link for that. */
  action?: ReactNode
  /** The paths of another drawing of 144 by 96. */
  drawing?: ReactNode
}

/** A sheet with a pencil. */
const SHEET = (
  <>
    <path className="drawing-grey" d="M8 88c42-2 86-2 128 0M58 40c10-1 20-1 29 0M57 52c12-1 21 0 32-1" />
    <path d="M45 86c-1-24-1-48 0-74 19-1 36-1 54 0 1 25 1 50 0 74M118 24l-9 44-4 11-2-12 9-45c2-3 6-2 6 2z" />
    <path className="drawing-green" d="M57 67c3 2 5 5 7 9 4-8 10-14 18-20" />
  </>
)

/** Rendered instead of an empty list, below its page's heading. */
export function EmptyState({ message, children, action, drawing = SHEET }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <svg viewBox="0 0 144 96" aria-hidden="true" focusable="false">
        {drawing}
      </svg>
      <p className="list-words">{message}</p>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
