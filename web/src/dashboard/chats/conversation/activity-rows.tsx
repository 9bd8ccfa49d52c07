import {
  CalendarClock,
  CircleCheck,
  CircleSlash,
  Clock,
  IdCard,
  Lock,
  Mail,
  MessageSquareOff,
  OctagonAlert,
  Pencil,
  RotateCcw,
  ShieldCheck,
  Star,
  Tag,
  UserRoundPlus,
} from 'virtual:icons'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { memo, type ReactNode } from 'react'
import { MessageText } from '../../../chat/view/message-text.tsx'
import { RelativeTime } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { PendingNote } from '../live/notes.ts'
import '../../../chat/view/attachments/attachments.css'

export interface TimeProps {
  exact: boolean
  /** Switches all times in the list between short and exact. */
  onTime: () => void
}

interface ChangeRowProps extends TimeProps {
  change: Exclude<Activity, { kind: 'note' }>
  words: string
}

/** Shows a change, in one line between the messages. */
export const ChangeRow = memo(function ChangeRow({ change, words, exact, onTime }: ChangeRowProps) {
  const { n, at } = change
  return (
    <li className="activity-change" data-n={n}>
      <Icon of={iconOf(change)} />
      <p>
        <bdi dir="ltr">{words}</bdi> · <Time iso={at} exact={exact} onTime={onTime} />
      </p>
    </li>
  )
})

function iconOf(change: ChangeRowProps['change']): string {
  if (change.kind !== 'status') return ICONS[change.kind]
  const { from, to } = change.data
  return from === 'spam' ? ShieldCheck : STATUS_ICONS[to]
}

const STATUS_ICONS = { open: RotateCcw, snoozed: Clock, resolved: CircleCheck, spam: OctagonAlert }

const ICONS = {
  assignee: UserRoundPlus,
  labels: Tag,
  settled: MessageSquareOff,
  scheduled: CalendarClock,
  block: CircleSlash,
  profile: IdCard,
  identity: IdCard,
  rating: Star,
  mail: Mail,
  edit: Pencil,
}

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
        <NoteHead author={author} mention={isForMe ? ' mentioned you' : ''}>
          <Time iso={note.at} exact={exact} onTime={onTime} />
        </NoteHead>
        <MessageText text={note.data.text} />
      </div>
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
        <NoteHead author="You" mention="">
          {state === 'sending' && 'Saving...'}
        </NoteHead>
        <MessageText text={message} />
      </div>
      {state === 'sending' ? (
        reason && <p className="chat-meta">{reason}</p>
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

/** Names the author. The children stand at the end of the line. */
function NoteHead({ author, mention, children }: { author: string; mention: string; children: ReactNode }) {
  return (
    <div className="activity-note-head">
      <Icon of={Lock} />
      <p>
        <bdi className="activity-author">{author}</bdi>
        {mention} · Visible to your team only
      </p>
      <span className="activity-time">{children}</span>
    </div>
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
