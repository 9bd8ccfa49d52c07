import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { reloadOutdatedPage } from '../lib/outdated-page.ts'
import { ErrorNote } from './error-screen.tsx'
import { NotFoundPage } from './not-found.tsx'

/** What stands between header and footer where a page could not be made. */
export function PageError() {
  const error = useRouteError()
  const lacksCode = isMissingCode(error)
  useEffect(() => {
    if (lacksCode) void reloadOutdatedPage()
  }, [lacksCode])

  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <section className="sheet">
      <ErrorNote error={error} />
    </section>
  )
}

/** In the words of Chromium and Firefox, and of WebKit: what `import()` says of a file that cannot be had. */
function isMissingCode(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message)
}
