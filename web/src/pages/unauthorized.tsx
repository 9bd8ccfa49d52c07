import { Link, useNavigate } from 'react-router'

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
      <button type="button" className="button needs-scripts" onClick={() => navigate(-1)}>
        Go Back
      </button>
      <noscript>
        <Link to="/" className="button">
          Go to the home page
        </Link>
      </noscript>
    </section>
  )
}
