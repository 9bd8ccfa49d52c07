import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import type { Conversation } from '../engine/types.ts'
import type { Anchor } from './scroll-anchor.tsx'

/** How long the message is marked. */
const MARKED_MS = 3_000

/** A message to show in its place. */
export interface JumpTarget {
  seq: number
  /** Another one for each time that it is asked for. */
  key: string
  /** The conversation has no such message, or it could not be read. */
  onMissing: () => void
}

interface JumpOptions {
  conversation: Conversation
  target: JumpTarget | null
  box: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
  following: RefObject<boolean>
  anchor: RefObject<Anchor | null>
  /** The position has changed. */
  onScrolled: () => void
  /** Back to the newest message. */
  onMissing: () => void
}

/** Scrolls to the target as soon as it is shown, gives it the focus, and marks it for a moment. */
export function useJump({ conversation, target, ...options }: JumpOptions): void {
  const wanted = useRef<number | null>(null)

  const reveal = useEffectEvent(() => {
    const { box, list, anchor, onScrolled } = options
    if (wanted.current === null || !box.current || !list.current) return
    const row = list.current.querySelector<HTMLElement>(`[data-seq="${wanted.current}"]`)
    if (row === null) return
    wanted.current = null
    row.scrollIntoView({ block: 'center' })
    const top = row.getBoundingClientRect().top - box.current.getBoundingClientRect().top
    // Rows above it get their heights only now: it stays where it is.
    anchor.current = { row, top, scrollTop: box.current.scrollTop }
    onScrolled()
    row.tabIndex = -1
    row.focus({ preventScroll: true })
    row.toggleAttribute('data-found', true)
    setTimeout(() => row.toggleAttribute('data-found', false), MARKED_MS)
  })

  const jump = useEffectEvent(async (seq: number, isCurrent: () => boolean) => {
    // From now on nothing scrolls to the newest message.
    options.following.current = false
    wanted.current = seq
    const isThere = await conversation.showAround(seq).catch(() => false)
    if (!isCurrent()) return
    if (isThere) return reveal()
    wanted.current = null
    options.onMissing()
    target?.onMissing()
  })
  const seq = target?.seq
  const key = target?.key
  useEffect(() => {
    if (seq === undefined) return
    let current = true
    void jump(seq, () => current)
    return () => {
      current = false
    }
  }, [conversation, seq, key])

  useLayoutEffect(() => reveal())
}
