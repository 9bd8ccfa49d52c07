import { useLocation, useRevalidator } from 'react-router'
import { Spinner } from './spinner.tsx'

/** Replaces content that could not be loaded, with a button to retry. */
export function LoadError({ what }: { what: string }) {
  const { state, revalidate } = useRevalidator()
  const { pathname, search } = useLocation()
  const retrying = state === 'loading'
  return (
    <div className="could-not-load" role="alert">
      <p>Could not load {what} try again!</p>
      <button
        type="button"
        className="button button-primary needs-scripts"
        disabled={retrying}
        onClick={() => revalidate()}
      >
        {retrying && <Spinner />}
        {retrying ? 'Loading' : 'Try again'}
      </button>
      <noscript>
        <a href={pathname + search} className="button button-primary">
          Try again
        </a>
      </noscript>
    </div>
  )
}
