import { memo, useState } from 'react'
import type { Conversation, PendingMessage } from '../engine/types.ts'
import { MessageText } from './message-text.tsx'
import { RelativeTime } from './relative-clock.tsx'
import { useViewLanguage } from './view-language.ts'

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
}

interface WaitingRow {
  nonce: string
  text: string
  author: string
  mine: true
  waiting: PendingMessage['state']
  reason: string | null
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
      <div className="chat-bubble">
        <span className="visually-hidden">{`${props.author}: `}</span>
        <MessageText text={props.text} />
      </div>
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
      {waiting?.waiting === 'sending' && (
        <p className="chat-meta">
          {words.sending} {waiting.reason}
        </p>
      )}
      {waiting && waiting.waiting !== 'sending' && <Stopped {...waiting} />}
    </li>
  )
})

/** The first character, in capitals. */
function firstOf(name: string): string {
  return String.fromCodePoint(name.codePointAt(0) ?? 0x3f).toLocaleUpperCase()
}

/** A held or refused message: its writer sends or discards it. */
function Stopped({ waiting, reason, nonce, text, conversation }: WaitingRow) {
  const { words } = useViewLanguage()
  const refused = waiting === 'refused'
  // Only an admin's is held.
  const why =
    reason ?? (refused ? words.refused : 'The visitor wrote again. Check your reply before sending.')
  return (
    <div className="chat-stopped">
      <p className="chat-why">{why}</p>
      <button type="button" onClick={() => conversation.retry(nonce)}>
        {refused ? words.retry : words.send}
      </button>
      {refused && <CopyButton text={text} />}
      <button type="button" onClick={() => conversation.discard(nonce)}>
        {words.discard}
      </button>
    </div>
  )
}

function CopyButton({ text }: { text: string }) {
  const { words } = useViewLanguage()
  const [copied, setCopied] = useState<boolean | null>(null)
  return (
    <button type="button" onClick={() => copyText(text).then(setCopied)}>
      {copied === null ? words.copy : copied ? words.copied : words.copyFailed}
    </button>
  )
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // navigator.clipboard needs https.
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}
