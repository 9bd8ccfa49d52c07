import { Link } from 'react-router'
import { LiveChatButton } from '../components/live-chat-button.tsx'

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
      <LiveChatButton className="button" />
    </section>
  )
}
