import { Outlet, useNavigation } from 'react-router'
import { SiteFooter } from '../components/site-footer.tsx'
import { SiteHeader } from '../components/site-header.tsx'
import { Spinner } from '../components/spinner.tsx'
import { useRefetchOnFocus } from './use-refetch-on-focus.ts'

/** The frame of every public page. */
export function SiteLayout() {
  const navigating = useNavigation().state === 'loading'
  useRefetchOnFocus()
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <SiteHeader />
      {/* The old page stays until the next one is loaded, so that nothing jumps. */}
      <div className="loading" role="status">
        {navigating && (
          <p>
            <Spinner /> Loading
          </p>
        )}
      </div>
      <main id="main" tabIndex={-1} aria-busy={navigating}>
        <Outlet />
      </main>
      <SiteFooter />
    </>
  )
}
