import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import { memo } from 'react'
import { Link } from 'react-router-dom'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { useVisitorOnline } from './admin-chat.tsx'
import { Elapsed } from './elapsed.tsx'

interface ConversationRowProps {
  conversation: ConversationSummary
  index: number
  /** Height of the rows above that are not in the document. */
  gap: number
  focusable: boolean
  isCurrent: boolean
  userId: string
  measure: (row: HTMLTableRowElement | null) => void
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { conversation, index, gap, focusable, isCurrent, userId, measure } = props
  const { clientId, adminUnread, lastMessage, waitingSince } = conversation
  const online = useVisitorOnline(clientId)
  const author = authorOf(lastMessage, userId)
  return (
    <tr
      ref={measure}
      style={{ marginTop: gap }}
      data-index={index}
      data-unread={adminUnread > 0}
      data-waiting={waitingSince !== null}
      data-current={isCurrent}
      aria-rowindex={index + 2}
    >
      <td className="conversations-number">{index + 1}</td>
      <td className="conversations-name">
        <span className="conversations-client">{clientId}</span>
        {adminUnread > 0 && (
          <span className="dashboard-badge">
            {adminUnread}
            <span className="visually-hidden"> unread</span>
          </span>
        )}
        {online && <span className="conversations-online">Online</span>}
      </td>
      <td className="conversations-last">
        <span className="conversations-words">
          {author !== null && <span className="conversations-author">{author}: </span>}
          <bdi>{preview(lastMessage.message)}</bdi>
        </span>
        <RelativeTime iso={lastMessage.createdAt} />
      </td>
      <td className="conversations-waiting">
        {waitingSince === null ? 'Answered' : <Elapsed since={waitingSince} />}
      </td>
      <td className="conversations-action">
        <Link
          to={`/dashboard/messages/${clientId}`}
          tabIndex={focusable ? 0 : -1}
          aria-current={isCurrent ? 'page' : undefined}
        >
          View <span className="visually-hidden">the conversation with {clientId}</span>
        </Link>
      </td>
    </tr>
  )
})

/** Null for the visitor, whose words need no name. The store has no names of other admins. */
function authorOf({ senderId, clientId }: Message, userId: string): string | null {
  if (senderId === clientId) return null
  return senderId === userId ? 'You' : 'Admin'
}

/** Enough to fill a line, cut between code points. */
function preview(message: string): string {
  return (message.match(/^.{0,160}/su)?.[0] ?? '').replaceAll(/\s+/g, ' ')
}
