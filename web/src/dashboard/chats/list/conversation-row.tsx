import { CornerUpLeft, Hourglass } from 'virtual:icons'
import { SLOW_WAIT_MS } from '@proctorpass/shared/limits'
import { messageSummary } from '@proctorpass/shared/message-summary'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { memo, useCallback, useRef } from 'react'
import { Link } from 'react-router'
import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { useFormatting } from '../../../chat/view/use-formatting.ts'
import { Icon } from '../../../components/icon.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { useVisitorOnline } from '../live/admin-chat-context.tsx'
import { visitorName } from '../live/visitor-name.ts'
import { Elapsed } from './elapsed.tsx'
import { RowDetails } from './row-details.tsx'
import { useFadeOut } from './row-motion.ts'

interface ConversationRowProps {
  conversation: ConversationSummary
  index: number
  /** The height of the rows above that are not in the document. */
  gap: number
  focusable: boolean
  isCurrent: boolean
  /** The list's query, so that the conversation can lead back to it. */
  search: string
  /** Who wrote the last message. Null for the visitor, whose messages need no name. */
  author: string | null
  /** What this admin has not seen in the conversation, besides messages. */
  update: string | undefined
  /** Whether the conversation has just come into the list. */
  isArriving: boolean
  /** Whether the last message is new to this admin. */
  isNew: boolean
  /** Null if the conversation is unassigned. */
  assignee: string | null
  /** Undefined if rows cannot be chosen. */
  selected: boolean | undefined
  onSelect: ((clientId: string, isRange: boolean) => void) | undefined
  measure: (row: HTMLTableRowElement | null) => void
  /** Returns whether the row with this index is on the screen. */
  isVisible: (index: number) => boolean
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { conversation, index, gap, focusable, isCurrent, search, author, assignee, selected, isNew } = props
  const { clientId, adminUnread } = conversation
  const online = useVisitorOnline(clientId)
  const preview = usePreview(conversation)
  const name = visitorName(conversation)
  const tabIndex = focusable ? 0 : -1
  const row = useRef<HTMLTableRowElement>(null)
  const { measure } = props
  const attach = useCallback(
    (element: HTMLTableRowElement | null) => {
      row.current = element
      measure(element)
    },
    [measure],
  )
  useFadeOut(row, props.isVisible)
  return (
    <tr
      ref={attach}
      data-arriving={props.isArriving}
      style={{ marginTop: gap }}
      data-index={index}
      data-unread={adminUnread > 0}
      data-new={isNew}
      data-current={isCurrent}
      data-selected={selected}
      aria-rowindex={index + 2}
    >
      <td className="conversations-number">
        {selected !== undefined && (
          <label className="conversations-select">
            <input
              type="checkbox"
              aria-label={`Select ${name}`}
              tabIndex={tabIndex}
              checked={selected}
              onChange={({ nativeEvent }) =>
                props.onSelect?.(clientId, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
            />
          </label>
        )}
        <span>{index + 1}</span>
      </td>
      <td className="conversations-name">
        <Avatar clientId={clientId} name={name} online={online} />
        <bdi className="conversations-alias" title={clientId}>
          {name}
        </bdi>
        {isNew && adminUnread === 0 && (
          <span className="chip" data-tone="green">
            New
          </span>
        )}
        {adminUnread > 0 && (
          <span className="dashboard-badge">
            {adminUnread}
            <span className="visually-hidden"> unread</span>
          </span>
        )}{' '}
        <span className="visually-hidden">{clientId}</span>
        {online && <span className="visually-hidden"> Online</span>}
      </td>
      <td className="conversations-last">
        <span className="conversations-words">
          {author !== null && <span className="conversations-author">{author}: </span>}
          <bdi>{preview}</bdi>
        </span>
        <RowDetails conversation={conversation} update={props.update} />
      </td>
      <Waiting conversation={conversation} assignee={assignee} />
      <td className="conversations-action">
        <Link
          to={`/dashboard/messages/${clientId}${search}`}
          tabIndex={tabIndex}
          aria-current={isCurrent ? 'page' : undefined}
        >
          View <span className="visually-hidden">the conversation with {name}</span>
        </Link>
      </td>
    </tr>
  )
})

/** Shows how long the visitor has waited, or when someone answered, and who is responsible. */
function Waiting({
  conversation: { clientId, lastMessage, waitingSince, status },
  assignee,
}: Pick<ConversationRowProps, 'conversation' | 'assignee'>) {
  const isWaiting = waitingSince !== null
  const isAnswered =
    !isWaiting && lastMessage.senderId !== clientId && (status === 'open' || status === 'snoozed')
  const isSlow = useClockText((now) => `${isWaiting && now - Date.parse(waitingSince) > SLOW_WAIT_MS}`)
  return (
    <td className="conversations-waiting" data-slow={isSlow}>
      {isWaiting && <Icon of={Hourglass} />}
      {isAnswered && <Icon of={CornerUpLeft} />}
      <span>
        {isAnswered && <span className="visually-hidden">Answered </span>}
        <Elapsed since={isWaiting ? waitingSince : lastMessage.createdAt} />
        {!isWaiting && <span className="visually-hidden"> ago</span>}
      </span>
      {assignee !== null && (
        <span className="chip conversations-assignee" title={`Assigned to ${assignee}`}>
          <span className="visually-hidden">Assigned to </span>
          <span>{assignee}</span>
        </span>
      )}
    </td>
  )
}

/** Returns enough text to fill a line, cut between code points. Only an admin's message has marks. */
function usePreview({ clientId, lastMessage }: ConversationSummary): string {
  const { message, senderId } = lastMessage
  const formatting = useFormatting(senderId === clientId ? '' : message)
  const words = formatting?.withoutMarks(message) ?? message
  const text = messageSummary({ ...lastMessage, message: words })
  return (text.match(/^.{0,160}/su)?.[0] ?? '').replaceAll(/\s+/g, ' ')
}
