import { Link } from 'react-router-dom'
import { useLiveChat } from '../lib/live-chat-store.ts'

/** Opens and closes the chat; without scripts a link to the contact form. */
export function LiveChatButton({ className }: { className: string }) {
  const open = useLiveChat((state) => state.shown === 'panel')
  const toggle = useLiveChat((state) => state.toggle)
  return (
    <>
      <button type="button" className={`${className} needs-scripts`} aria-expanded={open} onClick={toggle}>
        Live Chat
      </button>
      <noscript>
        <Link to="/contact" className={className}>
          Write to us
        </Link>
      </noscript>
    </>
  )
}
