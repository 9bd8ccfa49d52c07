import { useEffect, useState } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Spinner } from '../components/spinner.tsx'
import { isMissingChunk, reloadOutdatedPage } from '../lib/outdated-page.ts'

/** Renders errors outside the site's frame, because the frame itself may have failed. */
export function ErrorScreen() {
  return (
    <main id="main" tabIndex={-1} className="site">
      <div className="sheet">
        <ErrorNote error={useRouteError()} />
      </div>
    </main>
  )
}

export function ErrorNote({ error }: { error: unknown }) {
  return isMissingChunk(error) ? <MissingChunk /> : <UnexpectedError error={error} />
}

/** Reloads the page, which an update may have replaced. If that does not help, it says what to do. */
function MissingChunk() {
  const [stays, setStays] = useState(false)
  useEffect(() => {
    reloadOutdatedPage().then((reloads) => setStays(!reloads))
  }, [])

  if (!stays) {
    return (
      <p role="status">
        <Spinner /> Loading
      </p>
    )
  }
  return (
    <>
      <h1>This page could not be loaded</h1>
      <p>Check your connection, then reload the page. If that doesn't help, try again in a few minutes.</p>
      <p>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </>
  )
}

function UnexpectedError({ error }: { error: unknown }) {
  return (
    <>
      <h1>Unexpected Application Error!</h1>
      <p>{describe(error)}</p>
      <p>
        {/* This is not a Link, because a full load resets the broken state. */}
        <a href="/">Go to the home page</a>
      </p>
    </>
  )
}

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return error.statusText || String(error.status)
  return error instanceof Error ? error.message : 'Something went wrong.'
}
