import type { Side } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { listen } from '../../lib/listen.ts'
import { serverNow } from '../../lib/server-clock.ts'
import type { ConversationState } from '../engine/types.ts'

/** An absence of the reader: what they had seen before, and when they looked again (server time). */
interface Absence {
  seenSeq: number
  until: number
}

/**
 * Returns the seq of the first message that came while the reader was away, on another page or in another tab. Returns
 * 0 if there is no such message, or if nothing is above it. `seen` is the highest seq that was on the screen.
 */
export function useUnseenSince(
  { loaded, messages, read }: ConversationState,
  side: Side,
  isTheirs: (message: Message) => boolean,
  seen: RefObject<number>,
): number {
  const [absence, setAbsence] = useState<Absence | null>(null)
  const isVisible = () => document.visibilityState === 'visible'

  const start = useEffectEvent(() =>
    setAbsence({ seenSeq: read[side], until: isVisible() ? serverNow() : Number.POSITIVE_INFINITY }),
  )
  useLayoutEffect(() => {
    if (loaded) start()
  }, [loaded])

  const handleVisibility = useEffectEvent(() =>
    setAbsence((before) => {
      if (before === null) return null
      if (isVisible()) return { ...before, until: serverNow() }
      return { seenSeq: Math.max(read[side], seen.current), until: Number.POSITIVE_INFINITY }
    }),
  )
  useEffect(() => listen(document, ['visibilitychange'], () => handleVisibility()), [])

  if (absence === null) return 0
  const { seenSeq, until } = absence
  const first = messages.findIndex(
    (message) => message.seq > seenSeq && isTheirs(message) && Date.parse(message.createdAt) < until,
  )
  return first > 0 ? (messages[first]?.seq ?? 0) : 0
}
