import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { reloadOutdatedPage } from '../lib/outdated-page.ts'
import { ErrorNote } from './error-screen.tsx'
import { NotFoundPage } from './not-found.tsx'

/** Shown between header and footer when a page fails. */
export function PageError() {
  const error = useRouteError()
  const chunkMissing = isMissingChunk(error)
  useEffect(() => {
    if (chunkMissing) void reloadOutdatedPage()
  }, [chunkMissing])

  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <section className="sheet">
      <ErrorNote error={error} />
    </section>
  )
}

/** The messages of Chromium and Firefox, and of WebKit, for a failed `import()`. */
function isMissingChunk(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message)
}
