import { isRouteErrorResponse, useRouteError } from 'react-router-dom'

/** For unexpected errors: shown without the site's frame, which may be what failed. */
export function ErrorScreen() {
  return (
    <main id="main" tabIndex={-1} className="sheet">
      <ErrorNote error={useRouteError()} />
    </main>
  )
}

export function ErrorNote({ error }: { error: unknown }) {
  return (
    <>
      <h1>Unexpected Application Error!</h1>
      <p>{describe(error)}</p>
      <p>
        {/* Not a Link: a full load resets the broken state. */}
        <a href="/">Go to the home page</a>
      </p>
    </>
  )
}

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return error.statusText || String(error.status)
  return error instanceof Error ? error.message : 'Something went wrong.'
}
