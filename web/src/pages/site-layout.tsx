import { Outlet, useNavigation } from 'react-router-dom'
import { SiteFooter } from '../components/site-footer.tsx'
import { SiteHeader } from '../components/site-header.tsx'
import { Spinner } from '../components/spinner.tsx'
import { useRefetchOnFocus } from './use-refetch-on-focus.ts'

/** What every public page has around it. */
export function SiteLayout() {
  const leaving = useNavigation().state === 'loading'
  useRefetchOnFocus()
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <SiteHeader />
      {/* The page stays until the next one has its content, so that nothing jumps. */}
      <div className="loading" role="status">
        {leaving && (
          <p>
            <Spinner /> Loading
          </p>
        )}
      </div>
      <main id="main" tabIndex={-1} aria-busy={leaving}>
        <Outlet />
      </main>
      <SiteFooter />
    </>
  )
}
