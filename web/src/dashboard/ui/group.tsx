import type { ReactNode } from 'react'

interface GroupProps {
  /** The ID to which the list of the page's parts leads. */
  id: string
  title: string
  note?: ReactNode
  /** A button beside the heading. */
  action?: ReactNode
  children: ReactNode
}

/** Renders a part of a page: its heading with a sentence, and what belongs to it. */
export function Group({ id, title, note, action, children }: GroupProps) {
  return (
    <section className="group" id={id} aria-labelledby={`${id}-heading`}>
      <header>
        <h2 id={`${id}-heading`} tabIndex={-1}>
          {title}
        </h2>
        {note && <p>{note}</p>}
        {action}
      </header>
      {children}
    </section>
  )
}
