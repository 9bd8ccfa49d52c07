import { Link } from 'react-router-dom'
import { LiveChatButton } from '../components/live-chat-button.tsx'

export function NotFoundPage() {
  return (
    <section className="sheet">
      <p className="in-margin page-mark">
        <span className="visually-hidden">Error </span>
        404
      </p>
      <h1>There is no page here.</h1>
      <p>The address may be mistyped, or the page has moved or been taken down.</p>
      <p>
        Read on in <Link to="/blogs">the blog</Link> or <Link to="/faq">the questions and answers</Link>,{' '}
        <Link to="/">go to the home page</Link>, or ask us where it went:
      </p>
      <LiveChatButton className="button" />
    </section>
  )
}
