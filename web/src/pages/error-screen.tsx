import { isRouteErrorResponse, useRouteError } from 'react-router-dom'

/** For what nobody foresaw, where not even the frame of the site can be relied upon. */
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
        {/* A full load, because whatever went wrong may still be in memory. */}
        <a href="/">Go to the home page</a>
      </p>
    </>
  )
}

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return error.statusText || String(error.status)
  return error instanceof Error ? error.message : 'Something went wrong.'
}
