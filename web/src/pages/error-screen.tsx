import { isRouteErrorResponse, useRouteError } from 'react-router-dom'

/** For what nobody foresaw. */
export function ErrorScreen() {
  const error = useRouteError()
  return (
    <main id="main" tabIndex={-1} className="sheet">
      <h1>Unexpected Application Error!</h1>
      <p>{describe(error)}</p>
      <p>
        {/* A full load, because whatever went wrong may still be in memory. */}
        <a href="/">Go to the home page</a>
      </p>
    </main>
  )
}

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return error.statusText || String(error.status)
  return error instanceof Error ? error.message : 'Something went wrong.'
}
