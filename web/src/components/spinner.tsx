/** Turns while something is under way; the text beside it says what. */
export function Spinner() {
  return <span className="spinner" aria-hidden="true" />
}

/** Dots in a ring over the whole window. */
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
