import { Link } from 'react-router'
import { LIVE_CHAT_PRESSED_ID, useLiveChat } from '../lib/live-chat-store.ts'

/** A popover's button may not have `aria-expanded`, because the browser says whether the popover is open. */
const PRESSED = { popoverTarget: LIVE_CHAT_PRESSED_ID, popoverTargetAction: 'show' } as const

/**
 * Opens and closes the chat. Without scripts, it is a link to the contact form. A press before the chat's button has
 * loaded opens a popover, which works without scripts and so remembers the press.
 */
export function LiveChatButton({ className, lang }: { className: string; lang?: string | undefined }) {
  const open = useLiveChat((state) => state.shown === 'panel')
  const loaded = useLiveChat((state) => state.loaded)
  const toggle = useLiveChat((state) => state.toggle)
  return (
    <>
      <button
        type="button"
        className={`${className} needs-scripts`}
        lang={lang}
        {...(loaded ? { 'aria-expanded': open } : PRESSED)}
        onClick={() => {
          if (!document.getElementById(LIVE_CHAT_PRESSED_ID)?.showPopover) toggle()
        }}
      >
        Live Chat
      </button>
      <noscript>
        <Link to="/contact" className={className} lang={lang}>
          Contact us
        </Link>
      </noscript>
    </>
  )
}
