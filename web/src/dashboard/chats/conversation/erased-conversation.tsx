import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../ui/empty-state.tsx'
import { onDemand } from '../../ui/on-demand.tsx'
import { draftKeys } from '../compose/answer-box.tsx'
import { useAdminChat } from '../live/admin-chat-context.tsx'

const UnsentTexts = onDemand(async () => (await import('../compose/unsent-texts.tsx')).UnsentTexts)

/** Replaces a conversation that was erased while it was open. */
export function ErasedConversation({ clientId }: { clientId: string }) {
  const { userId } = useAdminChat()
  const keys = draftKeys(userId, clientId)
  const root = useRef<HTMLDivElement>(null)
  // The message box had the focus, and is gone.
  useEffect(() => {
    if (document.activeElement === document.body) root.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className="erased-conversation" ref={root} tabIndex={-1}>
      <div role="status">
        <EmptyState message="This conversation was erased">
          If the visitor writes again, a new conversation starts. See{' '}
          <Link to="/dashboard/chats">all conversations</Link>.
        </EmptyState>
      </div>
      <UnsentTexts
        onFailed={() => {}}
        names={{ [keys.reply]: 'Your unsent reply', [keys.note]: 'Your unsaved note' }}
      />
    </div>
  )
}
