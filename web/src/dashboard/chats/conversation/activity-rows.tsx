import { Lock } from 'virtual:icons'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { memo } from 'react'
import { MessageText } from '../../../chat/view/message-text.tsx'
import { RelativeTime } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { PendingNote } from '../live/notes.ts'

export interface TimeProps {
  exact: boolean
  /** Switches all times in the list between short and exact. */
  onTime: () => void
}

/** Shows a change, in one line between the messages. */
export const ChangeRow = memo(function ChangeRow({
  n,
  at,
  words,
  exact,
  onTime,
}: TimeProps & { n: number; at: string; words: string }) {
  return (
    <li className="activity-change" data-n={n}>
      <p>
        <bdi>{words}</bdi> · <Time iso={at} exact={exact} onTime={onTime} />
      </p>
    </li>
  )
})

interface NoteRowProps extends TimeProps {
  note: Extract<Activity, { kind: 'note' }>
  author: string
  isMine: boolean
  /** Whether the note mentions the reader. */
  isForMe: boolean
}

export const NoteRow = memo(function NoteRow({ note, author, isMine, isForMe, exact, onTime }: NoteRowProps) {
  return (
    <li
      className="activity-note"
      data-n={note.n}
      data-own={isMine || undefined}
      data-for-me={isForMe || undefined}
    >
      <div className="activity-bubble">
        <NoteHead author={author} mention={isForMe ? ' mentioned you' : ''} />
        <MessageText text={note.data.text} />
      </div>
      <p className="chat-meta">
        <Time iso={note.at} exact={exact} onTime={onTime} />
      </p>
    </li>
  )
})

interface PendingNoteRowProps {
  note: PendingNote
  onRetry: (nonce: string) => void
  onDiscard: (nonce: string) => void
}

/** Shows a note that is not stored yet, or that was refused. */
export const PendingNoteRow = memo(function PendingNoteRow({
  note,
  onRetry,
  onDiscard,
}: PendingNoteRowProps) {
  const { nonce, message, state, reason } = note
  return (
    <li className="activity-note" data-own data-waiting={state}>
      <div className="activity-bubble">
        <NoteHead author="You" mention="" />
        <MessageText text={message} />
      </div>
      {state === 'sending' ? (
        <p className="chat-meta">Saving... {reason}</p>
      ) : (
        <div className="chat-stopped">
          <p className="chat-why">{reason ?? "This note couldn't be saved."}</p>
          <button type="button" className="link-button" onClick={() => onRetry(nonce)}>
            Retry
          </button>
          <button type="button" className="link-button" onClick={() => onDiscard(nonce)}>
            Discard
          </button>
        </div>
      )}
    </li>
  )
})

function NoteHead({ author, mention }: { author: string; mention: string }) {
  return (
    <p className="activity-note-head">
      <Icon of={Lock} />
      <span>
        <bdi className="activity-author">{author}</bdi>
        {mention} · Only admins see this
      </span>
    </p>
  )
}

export function Time({ iso, exact, onTime }: TimeProps & { iso: string }) {
  return (
    <button
      type="button"
      className="chat-time"
      aria-pressed={exact}
      title={exact ? 'Show relative times' : 'Show exact times'}
      // The newest message's time is in the tab order, and it switches all times.
      tabIndex={-1}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onTime}
    >
      <RelativeTime iso={iso} exact={exact} />
    </button>
  )
}
