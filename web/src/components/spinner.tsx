/** The spinner is decorative. Put a text beside it. */
export function Spinner() {
  return <span className="spinner" aria-hidden="true" />
}

/** Shows a spinner that covers the whole window. */
export function FullScreenSpinner() {
  return (
    <div className="full-screen-spinner" role="status">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <circle cx="24" cy="24" r="19" />
      </svg>
      <span className="visually-hidden">Loading</span>
    </div>
  )
}
