import { isRouteErrorResponse, Link, useNavigate, useRouteError } from 'react-router'
import { LiveChatButton } from '../components/live-chat-button.tsx'
import { ErrorNote } from './error-screen.tsx'

export function NotFoundPage() {
  return (
    <section className="sheet">
      <p className="in-margin page-mark">
        <span className="visually-hidden">Error </span>
        404
      </p>
      <h1>Page not found</h1>
      <p>The address may be mistyped, or the page may have moved or been removed.</p>
      <p>
        Browse <Link to="/blogs">the blog</Link> or <Link to="/faq">the FAQ</Link>,{' '}
        <Link to="/">go to the home page</Link>, or ask us where it went:
      </p>
      <LiveChatButton className="button button-primary" />
    </section>
  )
}

/** Rendered between header and footer if a page fails. */
export function PageError() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <section className="sheet">
      <ErrorNote error={error} />
    </section>
  )
}

export function UnauthorizedPage() {
  const navigate = useNavigate()
  return (
    <section className="sheet">
      <p className="in-margin page-mark">
        <span className="visually-hidden">Error </span>
        403
      </p>
      <h1>Unauthorized</h1>
      <p>You do not have access to the requested page.</p>
      <button type="button" className="button button-primary needs-scripts" onClick={() => navigate(-1)}>
        Go Back
      </button>
      <noscript>
        <Link to="/" className="button button-primary">
          Go to the home page
        </Link>
      </noscript>
    </section>
  )
}
