import type { Side } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import type { Conversation, PendingMessage } from '../engine/types.ts'
import { MessageRow } from './message-row.tsx'
import { timeLocale } from './relative-clock.tsx'
import { KeepPlace, showEnd } from './scroll-anchor.tsx'
import { useConversation } from './use-conversation.ts'
import './messages.css'

/** Nearer to the end than this, a reader is at the end and follows what arrives. */
const END_PX = 48
/** Nearer to the top than this, the next older page is asked for. */
const OLDER_PX = 600
/** A row counts as seen with this much of its lower edge still cut off. */
const CUT_PX = 16
/** How long a screen reader stays unaddressed after many rows came at once. */
const QUIET_MS = 1_000

export interface MessageListHandle {
  /** Goes to the newest message and follows what comes; for whoever has just sent one. */
  toEnd(): void
}

interface MessageListProps {
  conversation: Conversation
  /** Who is reading. */
  side: Side
  /** The reading admin; their own messages stand right. A visitor has no need of it. */
  userId?: string
  /** Whether the list is on screen; nothing is marked as seen while it is not. */
  active?: boolean
  /** Accessible name of the log. */
  label: string
  /** How the two sides are called before their messages. */
  names: Record<Side, string>
  /** Stands above the oldest message. */
  intro?: ReactNode
  ref?: Ref<MessageListHandle>
}

/**
 * The messages of a conversation, for either side. It follows the newest while the reader is at the end, keeps the
 * reader's place otherwise, reads older pages on the way up and marks as seen what was on screen.
 */
export function MessageList(props: MessageListProps) {
  const { conversation, side, userId, active = true, label, names, intro, ref } = props
  const state = useConversation(conversation)
  const { messages, pending } = state

  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const following = useRef(true)
  /** The newest seq when the reader left the end; null while they are there. */
  const [leftAt, setLeftAt] = useState<number | null>(null)
  const newestSeq = messages.at(-1)?.seq ?? 0

  const isMine = (message: Message) =>
    side === 'visitor' ? message.senderId === message.clientId : message.senderId === userId
  const isTheirs = (message: Message) => (message.senderId === message.clientId) !== (side === 'visitor')

  const toEnd = useCallback(() => {
    following.current = true
    setLeftAt(null)
    showEnd(box.current, list.current)
  }, [])
  useImperativeHandle(ref, () => ({ toEnd }), [toEnd])

  const reportSeen = useEffectEvent(() => {
    if (!active || document.visibilityState !== 'visible' || !box.current || !list.current) return
    const seq = lastSeenSeq(box.current, list.current)
    if (seq > 0) conversation.markSeen(seq)
  })
  useEffect(() => reportSeen(), [messages, active, conversation])
  useEffect(() => {
    const report = () => reportSeen()
    document.addEventListener('visibilitychange', report)
    return () => document.removeEventListener('visibilitychange', report)
  }, [])

  // Rows grow (text zoom, fonts, rows that were only estimated) and the box shrinks (on-screen keyboard).
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (following.current) showEnd(box.current, list.current)
      reportSeen()
    })
    if (box.current) observer.observe(box.current)
    if (list.current) observer.observe(list.current)
    return () => observer.disconnect()
  }, [])

  function handleScroll(): void {
    const element = box.current
    if (!element) return
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX
    if (atEnd !== following.current) {
      following.current = atEnd
      setLeftAt(atEnd ? null : newestSeq)
    }
    if (element.scrollTop < OLDER_PX) loadOlder()
    else if (olderFailed) setOlderFailed(false)
    reportSeen()
  }

  // Until the reader comes back to the top, or asks: a server in trouble is not asked on every pixel.
  const [olderFailed, setOlderFailed] = useState(false)
  function loadOlder(again = false): void {
    if (!state.hasOlder || state.loadingOlder || (olderFailed && !again)) return
    setOlderFailed(false)
    conversation.loadOlder().catch(() => setOlderFailed(true))
  }

  const fresh =
    leftAt === null ? 0 : messages.filter((message) => message.seq > leftAt && isTheirs(message)).length
  const quiet = useQuiet(!state.loaded || state.loadingOlder, messages[0]?.seq ?? 0)
  const seenSeq = lastMineSeen(messages, isMine, state.read[side === 'visitor' ? 'admin' : 'visitor'])
  const typing = typingLine(side, names, state.visitorTyping, state.adminTyping)

  return (
    <div className="chat-messages">
      {/* Focusable, so that the arrow keys scroll it. */}
      <div
        ref={box}
        className="chat-log"
        role="log"
        aria-label={label}
        aria-live={quiet ? 'off' : 'polite'}
        aria-relevant="additions"
        aria-busy={!state.loaded}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        onScroll={handleScroll}
      >
        {state.hasOlder && (
          <p className="chat-older">
            <button type="button" className="chat-quiet-button" onClick={() => loadOlder(true)}>
              {state.loadingOlder
                ? 'Loading older messages...'
                : olderFailed
                  ? 'Could not load. Try again'
                  : 'Older messages'}
            </button>
          </p>
        )}
        {!state.hasOlder && intro}
        <KeepPlace box={box} list={list} following={following}>
          <ol ref={list} className="chat-rows">
            {rows({ messages, pending, conversation, names, isMine, isTheirs, seenSeq })}
          </ol>
        </KeepPlace>
      </div>
      {fresh > 0 && (
        <button
          type="button"
          className="chat-new"
          // Keeps the on-screen keyboard: a press does not take the focus from the message box.
          onPointerDown={(event) => event.preventDefault()}
          onClick={(event) => {
            if (document.activeElement === event.currentTarget) box.current?.focus({ preventScroll: true })
            toEnd()
          }}
        >
          {fresh === 1 ? '1 new message' : `${fresh} new messages`}
        </button>
      )}
      <p className="chat-typing">{typing}</p>
    </div>
  )
}

interface RowsInput {
  messages: readonly Message[]
  pending: readonly PendingMessage[]
  conversation: Conversation
  names: Record<Side, string>
  isMine: (message: Message) => boolean
  isTheirs: (message: Message) => boolean
  seenSeq: number
}

/** One flat list: a message keeps its key, and so its place and its element, when it is acknowledged. */
function rows({ messages, pending, conversation, names, isMine, isTheirs, seenSeq }: RowsInput): ReactNode[] {
  const result: ReactNode[] = []
  let day = ''
  const startDay = (time: Date) => {
    const next = time.toDateString()
    if (next === day) return
    day = next
    result.push(
      <li key={`day ${day}`} className="chat-day">
        <span>{dayLabel(time)}</span>
      </li>,
    )
  }
  const stored = new Set<string>()
  for (const message of messages) {
    stored.add(message.nonce)
    startDay(new Date(message.createdAt))
    const mine = isMine(message)
    result.push(
      <MessageRow
        key={message.nonce}
        seq={message.seq}
        text={message.message}
        author={mine ? 'You' : message.senderId === message.clientId ? names.visitor : names.admin}
        mine={mine}
        theirs={isTheirs(message)}
        sentAt={message.createdAt}
        seen={message.seq === seenSeq}
      />,
    )
  }
  for (const message of pending) {
    if (stored.has(message.nonce)) continue
    startDay(new Date(message.typedAt))
    result.push(
      <MessageRow
        key={message.nonce}
        text={message.message}
        author="You"
        mine
        waiting={message.state}
        reason={message.reason}
        nonce={message.nonce}
        conversation={conversation}
      />,
    )
  }
  return result
}

/** The newest message of the other side whose end is on screen, by halving: rows stand in order. */
function lastSeenSeq(box: HTMLElement, list: HTMLElement): number {
  const limit = Math.min(box.getBoundingClientRect().bottom, window.innerHeight) + CUT_PX
  const elements = list.children
  let low = 0
  let high = elements.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((elements[middle] as Element).getBoundingClientRect().bottom <= limit) low = middle + 1
    else high = middle
  }
  for (let index = low - 1; index >= 0; index--) {
    const { theirs } = (elements[index] as HTMLElement).dataset
    if (theirs !== undefined) return Number(theirs)
  }
  return 0
}

function lastMineSeen(
  messages: readonly Message[],
  isMine: (message: Message) => boolean,
  mark: number,
): number {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message
    if (message.seq <= mark && isMine(message)) return message.seq
  }
  return 0
}

/** Whether a screen reader should be left alone: a page of messages is no news. */
function useQuiet(loading: boolean, oldestSeq: number): boolean {
  const [settled, setSettled] = useState<number | null>(null)
  useEffect(() => {
    if (loading) return
    const timer = setTimeout(() => setSettled(oldestSeq), QUIET_MS)
    return () => clearTimeout(timer)
  }, [loading, oldestSeq])
  return loading || settled !== oldestSeq
}

function typingLine(side: Side, names: Record<Side, string>, visitor: boolean, admin: boolean): string {
  if (side === 'admin' && visitor) return `${names.visitor} is typing...`
  if (admin) return side === 'admin' ? 'Another admin is typing...' : `${names.admin} is typing...`
  return ''
}

function dayLabel(time: Date): string {
  const locale = timeLocale()
  const today = new Date()
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  const days = Math.round((midnight(time) - midnight(today)) / 86_400_000)
  if (days === 0 || days === -1) {
    const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
    return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1)
  }
  const year = time.getFullYear() === today.getFullYear() ? undefined : 'numeric'
  return time.toLocaleDateString(locale, { weekday: 'long', day: 'numeric', month: 'long', year })
}
