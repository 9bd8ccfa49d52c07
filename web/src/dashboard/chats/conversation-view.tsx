import { paths } from '@proctorpass/shared/paths'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import type { Conversation, ConversationState } from '../../chat/engine/types.ts'
import type { ComposerHandle } from '../../chat/view/composer.tsx'
import { MessageList, type MessageListHandle } from '../../chat/view/message-list.tsx'
import { useConversation } from '../../chat/view/use-conversation.ts'
import { toast } from '../../components/toast.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { useAdminChat } from './admin-chat.tsx'
import { CONVERSATIONS, conversationsQuery, inOrder, nextWaiting } from './conversations.ts'
import { orderOf, searchOf } from './filters.ts'
import { Jump, useJumpTarget } from './jump.tsx'
import { ReplyComposer } from './reply-composer.tsx'
import { useListFilter } from './use-list-filter.ts'
import { useViewing, Viewers } from './viewers.tsx'
import '../../chat/view/chat.css'

const NAMES = { visitor: 'Visitor', admin: 'Another admin' }

/** One visitor's conversation. Pass `key={clientId}`. */
export function ConversationView({ clientId }: { clientId: string }) {
  const { chat, userId } = useAdminChat()
  const [conversation] = useState(() => chat.conversation(clientId))
  useEffect(() => {
    conversation.start()
    return () => conversation.stop()
  }, [conversation])
  useViewing(clientId)

  const [filter] = useListFilter()
  const state = useConversation(conversation)
  useRefusalToasts(conversation)
  const list = useRef<MessageListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  // Only where focusing does not open an on-screen keyboard.
  const target = useJumpTarget()
  const arrived = useLocation().key !== 'default' && target === null
  useEffect(() => {
    if (arrived && window.matchMedia('(pointer: fine)').matches) composer.current?.focus()
  }, [arrived])
  const navigate = useNavigate()
  const eraser = useDelete({
    title: 'Erase this conversation?',
    question: "This deletes every message, for you and the visitor. You can't undo it.",
    confirmLabel: 'Erase',
    list: CONVERSATIONS,
    onDeleted: () => navigate('/dashboard/chats'),
  })
  const isEmpty = state.loaded && state.messages.length === 0 && state.pending.length === 0

  return (
    <section className="conversation" aria-label={`Conversation with visitor ${clientId}`}>
      <header className="conversation-head">
        <Link to={`/dashboard/chats${searchOf(filter)}`}>All conversations</Link>
        <div className="conversation-visitor">
          <PageHeading>
            <span className="visually-hidden">Conversation with </span>
            {clientId}
          </PageHeading>
          <p>{presenceLine(state)}</p>
        </div>
        <div className="conversation-actions">
          <NextWaiting clientId={clientId} />
          {!isEmpty && (
            <button
              type="button"
              className="dashboard-button"
              onClick={() => eraser.ask(paths.conversation(clientId))}
            >
              Erase
            </button>
          )}
        </div>
      </header>
      {eraser.dialog}
      <Viewers clientId={clientId} />
      {isEmpty ? (
        <EmptyState message="No messages yet">
          You can reply once this visitor has written. See{' '}
          <Link to="/dashboard/chats">all conversations</Link>.
        </EmptyState>
      ) : (
        <>
          {!state.loaded && <Loading />}
          <MessageList
            ref={list}
            conversation={conversation}
            side="admin"
            userId={userId}
            label="Messages"
            names={NAMES}
            jump={(places) => target && <Jump conversation={conversation} target={target} places={places} />}
          />
          <ReplyComposer
            clientId={clientId}
            ref={composer}
            draftKey={`draft:${userId}:${clientId}`}
            sending={state.pending.some((message) => message.state === 'sending')}
            onTyping={(typing) => conversation.setTyping(typing)}
            onSend={(message) => {
              conversation.send(message)
              conversation.history?.showNewest()
              list.current?.followNewest()
            }}
          />
        </>
      )}
    </section>
  )
}

function presenceLine({ peerOnline }: ConversationState): string {
  if (peerOnline === null) return ''
  return peerOnline ? 'Online' : 'Offline'
}

/** A link to the next waiting visitor; Alt+J follows it. */
function NextWaiting({ clientId }: { clientId: string }) {
  const [filter] = useListFilter()
  const { data } = useInfiniteQuery(conversationsQuery(filter))
  const navigate = useNavigate()
  const next = data && nextWaiting(inOrder(data, orderOf(filter)), clientId)
  const path = next && `/dashboard/messages/${next.clientId}${searchOf(filter)}`

  useEffect(() => {
    if (!path) return
    const handleKeyDown = (event: KeyboardEvent) => {
      // `code`, not `key`: with Alt, J types another character on a Mac.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyJ') return
      event.preventDefault()
      navigate(path)
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [path, navigate])

  return path ? (
    <Link className="dashboard-button" to={path} aria-keyshortcuts="Alt+J" title="Alt+J">
      Next waiting
    </Link>
  ) : null
}

/** Shows a toast when a message that was being sent is refused, not for those refused earlier. */
function useRefusalToasts(conversation: Conversation): void {
  useEffect(() => {
    const sending = new Set<string>()
    return conversation.subscribe(() => {
      for (const { nonce, state, reason } of conversation.getState().pending) {
        if (state === 'sending') sending.add(nonce)
        else if (state === 'refused' && sending.delete(nonce)) toast.error(reason ?? 'something went wrong')
      }
    })
  }, [conversation])
}
