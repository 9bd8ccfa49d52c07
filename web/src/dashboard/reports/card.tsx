import { Info } from 'virtual:icons'
import { useId } from 'react'
import { IconButton } from '../ui/icon-button.tsx'

interface CardProps {
  label: string
  /** Null if it is not known. */
  value: string | number | null
  note?: string | undefined
  /** How many answers or conversations the figure is from. */
  count?: string | undefined
  definition: string
}

/** Shows a figure. Its definition is one key press away. */
export function Card({ label, value, note, count, definition }: CardProps) {
  return (
    <li className="report-card">
      <div className="report-card-label">
        <span>{label}</span>
        <Definition label={label} definition={definition} />
      </div>
      <p className="report-card-value">{value ?? '–'}</p>
      <p className="report-note">
        {note}
        {count && <span>{count}</span>}
      </p>
    </li>
  )
}

/** A button that says what a figure means. */
export function Definition({ label, definition }: Pick<CardProps, 'label' | 'definition'>) {
  const id = useId()
  return (
    <>
      <IconButton icon={Info} label={`Definition: ${label}`} popoverTarget={id} />
      <span className="report-definition" id={id} popover="auto">
        {definition}
      </span>
    </>
  )
}
