import { useLocation, useRevalidator } from 'react-router-dom'
import { Spinner } from './spinner.tsx'

/** Stands in place of what could not be read, with a way to ask for it again. */
export function CouldNotLoad({ what }: { what: string }) {
  const { state, revalidate } = useRevalidator()
  const { pathname, search } = useLocation()
  const trying = state === 'loading'
  return (
    <div className="could-not-load" role="alert">
      <p>Could not load {what} try again!</p>
      <button
        type="button"
        className="button button-small needs-scripts"
        disabled={trying}
        onClick={() => revalidate()}
      >
        {trying && <Spinner />}
        {trying ? 'Loading' : 'Try again'}
      </button>
      <noscript>
        <a href={pathname + search} className="button button-small">
          Try again
        </a>
      </noscript>
    </div>
  )
}
