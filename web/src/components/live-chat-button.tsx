import { useLiveChat } from '../lib/live-chat-store.ts'

/** Opens and closes the chat in the corner. */
export function LiveChatButton({ className }: { className: string }) {
  const open = useLiveChat((state) => state.shown === 'panel')
  const toggle = useLiveChat((state) => state.toggle)
  return (
    <button type="button" className={className} aria-expanded={open} onClick={toggle}>
      Live Chat
    </button>
  )
}
