import type { Side } from '@proctorpass/shared/events'
import { TYPING_TTL_MS } from '@proctorpass/shared/limits'

const REPEAT_MS = 3_000

/** The typing indicators of both sides; sends this side's own. By socket only. */
export function createTyping(options: {
  /** False when it could not be sent. */
  send: (typing: boolean) => boolean
  onChange: () => void
}) {
  const { send, onChange } = options
  const typing = { visitor: false, admin: false }
  const expiry: Partial<Record<Side, ReturnType<typeof setTimeout>>> = {}
  /** Of the last keystroke, and of the last time it was sent; null after `false`. */
  let keyAt: number | null = null
  let sentAt: number | null = null

  function update() {
    const isTyping = keyAt !== null
    const isSent = sentAt !== null && (!isTyping || performance.now() - sentAt < REPEAT_MS)
    if (isTyping !== isSent && send(isTyping)) sentAt = isTyping ? performance.now() : null
  }

  /** Takes a fact: it expires without another. */
  function receive(side: Side, value: boolean) {
    clearTimeout(expiry[side])
    if (value) expiry[side] = setTimeout(() => receive(side, false), TYPING_TTL_MS)
    if (typing[side] === value) return
    typing[side] = value
    onChange()
  }

  return {
    state: typing as Readonly<typeof typing>,
    receive,
    set(value: boolean) {
      keyAt = value ? performance.now() : null
      update()
    },
    /** The socket is up: sends what could not be sent before. */
    resume() {
      if (keyAt !== null && performance.now() - keyAt < REPEAT_MS) update()
    },
    /** The socket is down. */
    reset() {
      sentAt = null
      receive('visitor', false)
      receive('admin', false)
    },
  }
}
