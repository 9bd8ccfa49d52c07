import type { AdminTypingChanged, Side } from '@proctorpass/shared/events'
import type { Caller } from '../auth/caller.ts'
import type { Chat } from '../chat/chat.ts'
import { audienceRooms } from './rooms.ts'
import type { HubSocket, Namespaces } from './types.ts'

/** An indicator's changes are sent at most once in this time. */
const CHANGE_EVERY_MS = 1_000
/** A repeated start is sent again after this time, because receivers end the indicator after TYPING_TTL_MS. */
const REPEAT_AFTER_MS = 2_000

/** A conversation's typing indicator, while one of this node's sockets types or typed a moment ago. */
interface Indicator {
  fact: Omit<AdminTypingChanged, 'typing'>
  /** Visitors see one indicator for all admins. */
  to: readonly Side[]
  /** The IDs of the sockets that type. */
  typing: Set<string>
  sent: boolean
  sentAt: number
  /** The socket that last changed the indicator, which does not receive the fact. */
  changedBy: { id: string; caller: Caller }
  /** Runs until the next change may be sent. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Sends who is typing. Changes within CHANGE_EVERY_MS are merged, and nothing is sent if the last state equals the sent
 * one.
 */
export function createTypingIndicators({ visitors, admins }: Namespaces, keysOf: Chat['keysForTyping']) {
  const indicators = new Map<string, Indicator>()

  function update(key: string, indicator: Indicator): void {
    if (indicator.timer !== undefined) return
    const typing = indicator.typing.size > 0
    const now = performance.now()
    if (typing === indicator.sent && !(typing && now - indicator.sentAt >= REPEAT_AFTER_MS)) return
    indicator.sent = typing
    indicator.sentAt = now
    indicator.timer = setTimeout(() => {
      indicator.timer = undefined
      update(key, indicator)
      if (!indicator.sent && indicator.timer === undefined) indicators.delete(key)
    }, CHANGE_EVERY_MS).unref()
    void emit(indicator, typing)
  }

  async function emit({ fact: about, to, changedBy }: Indicator, typing: boolean): Promise<void> {
    const { id, caller } = changedBy
    const fact = { ...about, typing }
    // If the store fails or the caller has lost access, the indicator ends after TYPING_TTL_MS.
    const keyHashes = await keysOf(caller, fact.clientId).catch(() => null)
    if (keyHashes === null) return
    if (to.includes('visitor')) {
      visitors.to(audienceRooms(fact.clientId, keyHashes)).except(id).emit('typing:changed', fact)
    }
    if (to.includes('admin')) admins.except(id).emit('typing:changed', fact)
  }

  function change(socket: HubSocket, clientId: string, typing: boolean): void {
    const { caller } = socket.data
    if (caller.side === 'visitor') {
      changeOne(socket, typing, { clientId, by: 'visitor' }, ['visitor', 'admin'])
    } else {
      changeOne(socket, typing, { clientId, by: 'admin' }, ['visitor'])
      changeOne(socket, typing, { clientId, by: 'admin', userId: caller.userId }, ['admin'])
    }
  }

  function changeOne(socket: HubSocket, typing: boolean, fact: Indicator['fact'], to: Indicator['to']): void {
    const key = [fact.by, fact.clientId, fact.userId].join(':')
    const changedBy = { id: socket.id, caller: socket.data.caller }
    let indicator = indicators.get(key)
    if (indicator === undefined) {
      if (!typing) return
      indicator = { fact, to, typing: new Set(), sent: false, sentAt: 0, changedBy, timer: undefined }
      indicators.set(key, indicator)
    }
    if (typing) indicator.typing.add(socket.id)
    else indicator.typing.delete(socket.id)
    indicator.changedBy = changedBy
    update(key, indicator)
  }

  return {
    /** Call this only for a conversation that exists. */
    set(socket: HubSocket, clientId: string, typing: boolean): void {
      const { typingIn } = socket.data
      if (typingIn !== null && (!typing || typingIn !== clientId)) this.stop(socket)
      if (!typing || !socket.connected) return
      socket.data.typingIn = clientId
      change(socket, clientId, true)
    },
    /** Call this when the socket closed, stopped typing, or types in another conversation. */
    stop(socket: HubSocket): void {
      const { typingIn } = socket.data
      if (typingIn === null) return
      socket.data.typingIn = null
      change(socket, typingIn, false)
    },
  }
}

export type TypingIndicators = ReturnType<typeof createTypingIndicators>
