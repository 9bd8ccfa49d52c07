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
  mine: boolean
  /** Whether the other side sent the message. It is marked as seen when it is on the screen. */
  theirs: boolean
  /** A time in ISO 8601. */
  sentAt: string
  /**
   * Whether this side's message is stored on the server, or read by the other side, in words. Null for the other side's
   * messages.
   */
  status: string | null
  edited: boolean
  exactTime: boolean
  /** Whether the time can be reached by Tab. Only one time in the list can, because it switches all of them. */
  timeInTabOrder: boolean
  /** Switches between relative and exact times. */
  onTime: () => void
  files: readonly Attachment[] | undefined
  conversation: Conversation
}

type RowProps = (StoredRow | WaitingRow) & {
  /** Whether an admin wrote the message. */
  formatted: boolean
  /** Whether the message follows another one of its group, whose initial and time are then not shown. */
  joins: boolean
}

/** Shows one message. It is memoized and has primitive props, so that adding one row does not render all others. */
export const MessageRow = memo(function MessageRow(props: RowProps) {
  const waiting = 'waiting' in props ? props : null
  const stored = 'waiting' in props ? null : props
  const { words } = useViewLanguage()
  const { text, files, mine, author, joins } = props
  return (
    <li
      className="chat-row"
      data-mine={mine || undefined}
      data-joins={joins || undefined}
      data-status={stored?.status}
      data-theirs={stored?.theirs ? stored.seq : undefined}
      data-seq={stored?.seq}
      data-waiting={waiting?.waiting}
    >
      {!mine && !joins && (
        // The bubble names the author to screen readers.
        <bdi className="chat-author" aria-hidden="true">
          {author}
        </bdi>
      )}
      {!mine && (
        <span className="chat-initial" aria-hidden="true">
          {[...author][0]?.toLocaleUpperCase()}
        </span>
      )}
      {text === '' ? (
        <span className="visually-hidden">{`${author}: `}</span>
      ) : (
        <div className="chat-bubble">
          <span className="visually-hidden">{`${author}: `}</span>
          <MessageText text={text} formatted={props.formatted} />
        </div>
      )}
      {files && <MessageAttachments files={files} conversation={props.conversation} waiting={waiting} />}
      {stored && (
        <p className="chat-meta">
          <button
            type="button"
            className="chat-time"
            aria-pressed={stored.exactTime}
            title={stored.exactTime ? words.relativeTimes : words.exactTimes}
            tabIndex={stored.timeInTabOrder ? 0 : -1}
            // This keeps the focus in the message box, and so the on-screen keyboard open.
            onPointerDown={(event) => event.preventDefault()}
            onClick={stored.onTime}
          >
            <RelativeTime iso={stored.sentAt} exact={stored.exactTime} />
          </button>
          {stored.edited && ` · ${words.edited}`}
          {stored.status !== null && ` · ${stored.status}`}
        </p>
      )}
      {waiting && !files && <WaitingLine {...waiting} />}
    </li>
  )
})
