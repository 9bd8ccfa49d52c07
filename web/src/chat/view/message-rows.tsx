import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ReactNode } from 'react'
import { serverNow, toServerTime } from '../../lib/server-clock.ts'
import type { Conversation, PendingMessage } from '../engine/types.ts'
import { calendarDays } from '../language/calendar-days.ts'
import { MessageRow } from './message-row.tsx'
import type { useViewLanguage } from './view-language.ts'

/** A sender's messages that follow each other within this time are a group, with one name and one time. */
const GROUP_MS = 5 * 60_000

/** Pushes more rows: those that stand before a message or, with Infinity, those after the newest one. */
export type ExtraRows = (
  beforeSeq: number,
  rows: ReactNode[],
  /** Pushes the day's name if the day has changed. */
  startDay: (time: Date) => void,
  times: { exactTimes: boolean; toggleTimes: () => void },
) => void

interface MessageRowsInput {
  messages: readonly Message[]
  pending: readonly PendingMessage[]
  extras?: ExtraRows | undefined
  conversation: Conversation
  authorOf: (message: Message) => string
  language: ReturnType<typeof useViewLanguage>
  /** Whether the reader, who writes what is pending, is an admin. */
  isAdmin: boolean
  isMine: (message: Message) => boolean
  /** The reader's newest message that is stored, and the newest that the other side has seen. */
  sentSeq: number
  seenSeq: number
  /** The first message that came while the reader was away, or 0. */
  newSeq: number
  exactTimes: boolean
  toggleTimes: () => void
}

/** Returns one flat list keyed by nonce, so that a message keeps its element when it is acknowledged. */
export function messageRows(input: MessageRowsInput): ReactNode[] {
  const { messages, pending, extras, conversation, authorOf, language } = input
  const { words, locale, timeLang } = language
  const { isAdmin, isMine, exactTimes, toggleTimes } = input
  const { sentSeq, seenSeq, newSeq } = input
  const newestSeq = messages.at(-1)?.seq
  const result: ReactNode[] = []
  let day = new Date(0)
  const startDay = (time: Date) => {
    // Two nodes' clocks may differ, but no day may begin twice.
    if (time < day || time.toDateString() === day.toDateString()) return
    day = time
    result.push(
      <li key={`day ${day.toDateString()}`} className="chat-day">
        <span lang={timeLang}>{dayLabel(time, locale)}</span>
      </li>,
    )
  }
  const stored = new Set<string>()
  /** The newest message so far, and where its row is. */
  let place = -1
  let above: readonly [sender: string, at: number] = ['', 0]
  /** Returns whether a message belongs to the group of the one before it. */
  const joinsGroup = (sender: string, time: string | number) => {
    const at = +new Date(time)
    const joins = place === result.length - 1 && above[0] === sender && at - above[1] < GROUP_MS
    place = result.length
    above = [sender, at]
    return joins
  }
  for (const message of messages) {
    stored.add(message.nonce)
    extras?.(message.seq, result, startDay, input)
    startDay(new Date(message.createdAt))
    if (message.seq === newSeq) {
      result.push(
        <li key="new" className="chat-day chat-new-line">
          <span>{words.newLine}</span>
        </li>,
      )
    }
    const mine = isMine(message)
    const byAdmin = message.senderId !== message.clientId
    result.push(
      <MessageRow
        key={message.nonce}
        seq={message.seq}
        text={message.message}
        formatted={byAdmin}
        author={authorOf(message)}
        joins={joinsGroup(mine ? '' : message.senderId, message.createdAt)}
        mine={mine}
        theirs={byAdmin !== isAdmin}
        sentAt={message.createdAt}
        status={message.seq === seenSeq ? words.seen : message.seq === sentSeq ? words.sent : null}
        edited={!!message.edit}
        exactTime={exactTimes}
        timeInTabOrder={message.seq === newestSeq}
        onTime={toggleTimes}
        files={message.attachments}
        conversation={conversation}
      />,
    )
    // The line with the time says it, and only the last message of a group has that.
    if (message.edit) place = -1
  }
  extras?.(Number.POSITIVE_INFINITY, result, startDay, input)
  for (const message of pending) {
    if (stored.has(message.nonce)) continue
    const typedAt = toServerTime(message.typedAt)
    startDay(new Date(typedAt))
    result.push(
      <MessageRow
        key={message.nonce}
        text={message.message}
        formatted={isAdmin}
        author={words.you}
        joins={joinsGroup('', typedAt)}
        mine
        waiting={message.state}
        reason={message.reason}
        nonce={message.nonce}
        files={message.files}
        progress={message.progress}
        conversation={conversation}
      />,
    )
  }
  return result
}

function dayLabel(time: Date, locale: string): string {
  const today = new Date(serverNow())
  const days = calendarDays(today, time)
  if (days === 0 || days === -1) {
    const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
    return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1)
  }
  const year = time.getFullYear() === today.getFullYear() ? undefined : 'numeric'
  return time.toLocaleDateString(locale, { weekday: 'long', day: 'numeric', month: 'long', year })
}
