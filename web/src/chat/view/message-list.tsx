import type { Side } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { listen } from '../../lib/listen.ts'
import type { Conversation } from '../engine/types.ts'
import { fill } from '../language/fill.ts'
import { type ExtraRows, messageRows } from './message-rows.tsx'
import {
  type Anchor,
  findAnchor,
  firstRowEndingBelow,
  isAtEnd,
  keepAnchor,
  ScrollAnchor,
  scrollToEnd,
} from './scroll-anchor.tsx'
import { useUnseenSince } from './unseen-since.ts'
import { useConversation } from './use-conversation.ts'
import { useViewLanguage } from './view-language.ts'
import './messages.css'

/** The next older page is loaded when the reader is closer to the top than this. */
const OLDER_PX = 600
/** A row counts as seen if at most this much of it is cut off below. */
const CUT_OFF_PX = 16
/** How long the live region stays off after a page of messages. */
const QUIET_MS = 1_000

export interface MessageListHandle {
  /** Scrolls to the newest message and follows new ones. Call this after sending. */
  followNewest(): void
}

/** The scrolling element, its rows, and the reader's position. */
export interface MessagePlaces {
  box: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
  following: RefObject<boolean>
  anchor: RefObject<Anchor | null>
  /** Called when the position was changed. */
  onScrolled: () => void
  followNewest: () => void
}

interface MessageListProps {
  conversation: Conversation
  /** The reader's side. */
  side: Side
  /** The reading admin, whose messages are on the right. Missing for visitors. */
  userId?: string
  /** The log's accessible name. */
  label: string
  /** The authors' names. The admin's is for admins without their own display name. */
  names: Record<Side, string>
  /** Returns an admin's name. The default is the name that the server sends. */
  nameOf?: (userId: string) => string | undefined
  /** Shown above the oldest message. */
  intro?: ReactNode
  /** The part that moves the list in other ways. */
  jump?: (places: MessagePlaces) => ReactNode
  extras?: ExtraRows | undefined
  /** The rows below the newest message. */
  outro?: ReactNode
  /** Called while messages are on the screen in a visible tab, with the highest seq among them. */
  onSeen: (seq: number) => void
  ref?: Ref<MessageListHandle>
}

/**
 * Shows a conversation's messages to either side. Follows the newest message while the reader is at the end, keeps the
 * scroll position otherwise, loads older pages near the top, and marks messages on the screen as seen.
 */
export function MessageList(props: MessageListProps) {
  const { conversation, side, userId, label, names, nameOf, intro, jump, extras, outro, onSeen, ref } = props
  const language = useViewLanguage()
  const { words } = language
  const state = useConversation(conversation)
  const { messages, pending, hasNewer = false } = state

  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const following = useRef(true)
  /** The newest seq when the reader scrolled up; null at the end. */
  const [leftAt, setLeftAt] = useState<number | null>(null)
  const newestSeq = messages.at(-1)?.seq ?? 0

  const isMine = (message: Message) =>
    side === 'visitor' ? message.senderId === message.clientId : message.senderId === userId
  const isTheirs = (message: Message) => (message.senderId === message.clientId) !== (side === 'visitor')

  const authorOf = (message: Message) => {
    if (isMine(message)) return words.you
    if (message.senderId === message.clientId) return names.visitor
    return (nameOf ? nameOf(message.senderId) : state.people[message.senderId]?.name) ?? names.admin
  }

  const followNewest = useCallback(() => {
    following.current = true
    setLeftAt(null)
    scrollToEnd(box.current, list.current)
  }, [])
  useImperativeHandle(ref, () => ({ followNewest }), [followNewest])

  /** The highest seq that was on the screen. */
  const seen = useRef(0)
  const newSeq = useUnseenSince(state, side, isTheirs, seen)
  const reportSeen = useEffectEvent(() => {
    if (document.visibilityState !== 'visible' || !box.current || !list.current) return
    // Measuring an empty list would cause a needless layout.
    if (messages.length === 0) return
    const seq = lastSeenSeq(box.current, list.current)
    if (seq === 0) return
    seen.current = Math.max(seen.current, seq)
    onSeen(seq)
  })
  useEffect(() => reportSeen(), [messages, conversation])
  useEffect(() => listen(document, ['visibilitychange'], () => reportSeen()), [])

  /**
   * The place to which the reader last scrolled. Null at the end, and after a press, because what a press unfolds grows
   * downward.
   */
  const anchor = useRef<Anchor | null>(null)
  // Rows grow (text zoom, fonts, estimated heights), and the box shrinks (on-screen keyboard).
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (following.current) scrollToEnd(box.current, list.current)
      else if (box.current?.scrollTop === anchor.current?.scrollTop) keepAnchor(box.current, anchor.current)
      // If the position differs from both, something has scrolled, and its scroll event follows.
      reportSeen()
    })
    if (box.current) observer.observe(box.current)
    if (list.current) observer.observe(list.current)
    return () => observer.disconnect()
  }, [])

  function handleScroll(): void {
    const element = box.current
    if (!element) return
    const atEnd = !hasNewer && isAtEnd(element)
    if (atEnd !== following.current) {
      following.current = atEnd
      setLeftAt(atEnd ? null : newestSeq)
    }
    anchor.current = atEnd ? null : findAnchor(element, list.current, anchor.current)
    if (element.scrollTop < OLDER_PX) loadOlder()
    else if (olderFailed) setOlderFailed(false)
    reportSeen()
  }

  // After a failure, the list retries only when the reader returns to the top or presses the button, not on every
  // scroll.
  const [olderFailed, setOlderFailed] = useState(false)
  function loadOlder(retry = false): void {
    if (!state.hasOlder || state.loadingOlder || (olderFailed && !retry)) return
    setOlderFailed(false)
    conversation.loadOlder().catch(() => setOlderFailed(true))
  }

  const fresh =
    leftAt === null ? 0 : messages.filter((message) => message.seq > leftAt && isTheirs(message)).length
  const quiet = useQuiet(!state.loaded || state.loadingOlder || hasNewer, messages[0]?.seq ?? 0)
  const sentSeq = lastMine(messages, isMine, newestSeq)
  const seenSeq = lastMine(messages, isMine, state.read[side === 'visitor' ? 'admin' : 'visitor'])
  const [exactTimes, setExactTimes] = useState(false)
  const toggleTimes = useCallback(() => setExactTimes((exact) => !exact), [])
  const typing = side === 'admin' ? state.visitorTyping : state.adminTyping

  return (
    <div className="chat-messages">
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
        onClickCapture={() => {
          anchor.current = null
        }}
      >
        {state.hasOlder && (
          <p className="chat-older">
            <button type="button" className="button button-quiet" onClick={() => loadOlder(true)}>
              {state.loadingOlder ? words.loadingOlder : olderFailed ? words.olderFailed : words.older}
            </button>
          </p>
        )}
        {!state.hasOlder && intro}
        <ScrollAnchor box={box} list={list} following={following} anchor={anchor}>
          <ol ref={list} className="chat-rows">
            {messageRows({
              messages,
              pending,
              extras,
              conversation,
              authorOf,
              language,
              isAdmin: side === 'admin',
              isMine,
              sentSeq,
              seenSeq,
              newSeq,
              exactTimes,
              toggleTimes,
            })}
            {outro}
          </ol>
        </ScrollAnchor>
      </div>
      {fresh > 0 && (
        <button
          type="button"
          className="button chat-new"
          // This keeps the focus in the message box, and so the on-screen keyboard open.
          onPointerDown={(event) => event.preventDefault()}
          onClick={(event) => {
            if (document.activeElement === event.currentTarget) box.current?.focus({ preventScroll: true })
            followNewest()
          }}
        >
          {fill(words.newMessages, { count: fresh }, language.tag)}
        </button>
      )}
      <p className="chat-typing">
        {typing && fill(words.typing, { name: names[side === 'admin' ? 'visitor' : 'admin'] })}
      </p>
      {jump?.({ box, list, following, anchor, onScrolled: handleScroll, followNewest })}
    </div>
  )
}

/** Returns the seq of the other side's newest message whose lower edge is on the screen. */
function lastSeenSeq(box: HTMLElement, list: HTMLElement): number {
  const limit = Math.min(box.getBoundingClientRect().bottom, window.innerHeight) + CUT_OFF_PX
  for (let index = firstRowEndingBelow(list, limit) - 1; index >= 0; index--) {
    const { theirs } = (list.children[index] as HTMLElement).dataset
    if (theirs !== undefined) return Number(theirs)
  }
  return 0
}

/** Returns the seq of the reader's newest message up to `mark`; 0 if there is none. */
function lastMine(messages: readonly Message[], isMine: (message: Message) => boolean, mark: number): number {
  return messages.findLast((message) => message.seq <= mark && isMine(message))?.seq ?? 0
}

/** Returns whether the live region is off, because screen readers should announce arrivals but not loaded pages. */
function useQuiet(loading: boolean, oldestSeq: number): boolean {
  const [settled, setSettled] = useState<number | null>(null)
  useEffect(() => {
    if (loading) return
    const timer = setTimeout(() => setSettled(oldestSeq), QUIET_MS)
    return () => clearTimeout(timer)
  }, [loading, oldestSeq])
  return loading || settled !== oldestSeq
}
