import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import { memo } from 'react'
import type { Conversation } from '../engine/types.ts'
import { MessageAttachments } from './message-attachments.tsx'
import { MessageText } from './message-text.tsx'
import { RelativeTime } from './relative-clock.tsx'
import { useViewLanguage } from './view-language.ts'
import { WaitingLine, type WaitingRow } from './waiting-row.tsx'

interface StoredRow {
  seq: number
  text: string
  author: string
  /** Shows the author with an initial: the first of several messages of an admin. */
  named: boolean
  mine: boolean
  /** Sent by the other side: marked as seen when on screen. */
  theirs: boolean
  /** ISO 8601. */
  sentAt: string
  /** Of an own message: stored on the server, or read by the other side. */
  status: string | null
  exactTime: boolean
  /** Only one time of the list is: it switches them all. */
  timeInTabOrder: boolean
  /** Switches between relative and exact times. */
  onTime: () => void
  files: readonly Attachment[] | undefined
  conversation: Conversation
}

/** One message. Memoized with primitive props, so that adding one row does not render all others. */
export const MessageRow = memo(function MessageRow(props: StoredRow | WaitingRow) {
  const waiting = 'waiting' in props ? props : null
  const stored = 'waiting' in props ? null : props
  const { words } = useViewLanguage()
  return (
    <li
      className="chat-row"
      data-mine={props.mine || undefined}
      data-theirs={stored?.theirs ? stored.seq : undefined}
      data-seq={stored?.seq}
      data-waiting={waiting?.waiting}
    >
      {stored?.named && (
        // The bubble says it to screen readers.
        <p className="chat-author" aria-hidden="true">
          <span className="chat-initial">{firstOf(stored.author)}</span>
          <bdi>{stored.author}</bdi>
        </p>
      )}
      {props.text === '' ? (
        <span className="visually-hidden">{`${props.author}: `}</span>
      ) : (
        <div className="chat-bubble">
          <span className="visually-hidden">{`${props.author}: `}</span>
          <MessageText text={props.text} />
        </div>
      )}
      {props.files && (
        <MessageAttachments files={props.files} conversation={props.conversation} waiting={waiting} />
      )}
      {stored && (
        <p className="chat-meta">
          <button
            type="button"
            className="chat-time"
            aria-pressed={stored.exactTime}
            title={stored.exactTime ? words.relativeTimes : words.exactTimes}
            tabIndex={stored.timeInTabOrder ? 0 : -1}
            // Keeps the focus in the message box, and so the on-screen keyboard open.
            onPointerDown={(event) => event.preventDefault()}
            onClick={stored.onTime}
          >
            <RelativeTime iso={stored.sentAt} exact={stored.exactTime} />
          </button>
          {stored.status !== null && ` · ${stored.status}`}
        </p>
      )}
      {waiting && !waiting.files && <WaitingLine {...waiting} />}
    </li>
  )
})

/** The first character, in capitals. */
function firstOf(name: string): string {
  const [first = '?'] = name
  return first.toLocaleUpperCase()
}
