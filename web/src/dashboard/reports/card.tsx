interface CardProps {
  label: string
  /** Null if it is not known. */
  value: string | number | null
  note?: string | undefined
  /** The text that opens the definition. */
  summary?: string | undefined
  definition: string
}

/** Shows a figure. Its definition is one key press away. */
export function Card({ label, value, note, summary = 'Definition', definition }: CardProps) {
  return (
    <li className="report-card">
      <p className="report-card-label">{label}</p>
      <p className="report-card-value">{value ?? '–'}</p>
      <p className="report-note">{note}</p>
      <details>
        <summary>{summary}</summary>
        <p>{definition}</p>
      </details>
    </li>
  )
}
