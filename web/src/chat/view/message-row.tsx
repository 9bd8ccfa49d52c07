import { memo, useState } from 'react'
import type { Conversation, PendingMessage } from '../engine/types.ts'
import { linkify } from './linkify.ts'
import { RelativeTime } from './relative-clock.tsx'

interface StoredRow {
  seq: number
  text: string
  author: string
  mine: boolean
  /** Sent by the other side: marked as seen when on screen. */
  theirs: boolean
  /** ISO 8601. */
  sentAt: string
  /** Shows "Seen": the other side has read up to here. */
  seen: boolean
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
  return (
    <li
      className="chat-row"
      data-mine={props.mine || undefined}
      data-theirs={stored?.theirs ? stored.seq : undefined}
      data-waiting={waiting?.waiting}
    >
      <div className="chat-bubble">
        <span className="visually-hidden">{`${props.author}: `}</span>
        <p className="chat-text" dir="auto">
          <MessageText text={props.text} />
        </p>
      </div>
      {stored && (
        <p className="chat-meta">
          <RelativeTime iso={stored.sentAt} />
          {stored.seen && <span className="chat-seen"> · Seen</span>}
        </p>
      )}
      {waiting?.waiting === 'sending' && <p className="chat-meta">Sending... {waiting.reason}</p>}
      {waiting && waiting.waiting !== 'sending' && <Stopped {...waiting} />}
    </li>
  )
})

function MessageText({ text }: { text: string }) {
  return linkify(text).map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {part.text}
      </a>
    ),
  )
}

/** A held or refused message: its writer sends or discards it. */
function Stopped({ waiting, reason, nonce, text, conversation }: WaitingRow) {
  const refused = waiting === 'refused'
  const why =
    reason ??
    (refused
      ? 'This message could not be sent.'
      : 'The visitor wrote again. Check your reply before sending.')
  return (
    <div className="chat-stopped">
      <p className="chat-why">{why}</p>
      <button type="button" onClick={() => conversation.retry(nonce)}>
        {refused ? 'Retry' : 'Send'}
      </button>
      {refused && <CopyButton text={text} />}
      <button type="button" onClick={() => conversation.discard(nonce)}>
        Discard
      </button>
    </div>
  )
}

function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  return (
    <button type="button" onClick={() => copyText(text).then(setCopied)}>
      {copied === null ? 'Copy' : copied ? 'Copied' : 'Could not copy'}
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
