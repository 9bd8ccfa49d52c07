import { isRouteErrorResponse, useRouteError } from 'react-router'
import { ErrorNote } from './error-screen.tsx'
import { NotFoundPage } from './not-found.tsx'

/** Shown between header and footer when a page fails. */
export function PageError() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <section className="sheet">
      <ErrorNote error={error} />
    </section>
  )
}
