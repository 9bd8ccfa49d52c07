import { Link } from 'react-router'
import { PageHeading } from './ui/page-heading.tsx'

export function NotFoundPage() {
  return (
    <section className="dashboard-page">
      <PageHeading>Page not found</PageHeading>
      <p>Check the address, or choose a page from the menu.</p>
      <p>
        <Link to="/dashboard">Back to the dashboard</Link>
      </p>
    </section>
  )
}
