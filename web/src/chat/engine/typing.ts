import type { Side } from '@proctorpass/shared/events'
import { TYPING_TTL_MS } from '@proctorpass/shared/limits'

const REPEAT_MS = 3_000

/** Holds both sides' typing indicators, and sends this side's own. Works only by socket. */
export function createTyping(options: {
  /** Returns false if the indicator could not be sent. */
  send: (typing: boolean) => boolean
  onChange: () => void
}) {
  const { send, onChange } = options
  const typing = { visitor: false, admin: false }
  const expiry: Partial<Record<Side, ReturnType<typeof setTimeout>>> = {}
  /** When the last key was pressed, and when typing was last sent. Null after `false`. */
  let keyAt: number | null = null
  let sentAt: number | null = null

  function update() {
    const isTyping = keyAt !== null
    const isSent = sentAt !== null && (!isTyping || performance.now() - sentAt < REPEAT_MS)
    if (isTyping !== isSent && send(isTyping)) sentAt = isTyping ? performance.now() : null
  }

  /** Receives a fact, which expires unless another follows. */
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
    /** Call this when the socket is up. It sends what could not be sent before. */
    resume() {
      if (keyAt !== null && performance.now() - keyAt < REPEAT_MS) update()
    },
    /** Call this when the socket is down. */
    reset() {
      sentAt = null
      receive('visitor', false)
      receive('admin', false)
    },
  }
}
