import type { AdminTypingChanged, ViewingChanged } from '@proctorpass/shared/events'
import { TYPING_TTL_MS } from '@proctorpass/shared/limits'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { createSignal } from '../../../chat/engine/signal.ts'

const NONE: readonly string[] = []

export type OtherAdmins = ReturnType<typeof createOtherAdmins>

/** Follows what the other admins are doing from the hub's facts. It is empty while polling. */
export function createOtherAdmins(chat: AdminChat, userId: string) {
  const viewers = new Map<string, readonly string[]>()
  const typing = new Map<string, readonly string[]>()
  /** The timers by clientId and user ID. */
  const expiries = new Map<string, ReturnType<typeof setTimeout>>()
  const changed = createSignal()
  let viewing: string | null = null

  function setViewers({ clientId, userIds }: ViewingChanged): void {
    const others = userIds.filter((each) => each !== userId)
    if (others.length > 0) viewers.set(clientId, others)
    else viewers.delete(clientId)
    changed.emit()
  }

  function setTyping(clientId: string, admin: string, isTyping: boolean): void {
    const key = `${clientId} ${admin}`
    clearTimeout(expiries.get(key))
    expiries.delete(key)
    if (isTyping) {
      const expire = () => setTyping(clientId, admin, false)
      expiries.set(key, setTimeout(expire, TYPING_TTL_MS))
    }
    const before = typing.get(clientId) ?? NONE
    if (before.includes(admin) === isTyping) return
    const after = isTyping ? [...before, admin] : before.filter((each) => each !== admin)
    if (after.length > 0) typing.set(clientId, after)
    else typing.delete(clientId)
    changed.emit()
  }

  function clear(): void {
    for (const timer of expiries.values()) clearTimeout(timer)
    expiries.clear()
    if (viewers.size + typing.size === 0) return
    viewers.clear()
    typing.clear()
    changed.emit()
  }

  return {
    /** Returns the IDs of the other admins who have this conversation open. */
    viewersOf: (clientId: string): readonly string[] => viewers.get(clientId) ?? NONE,
    /** Returns the IDs of the other admins who are typing a reply in it. */
    typingIn: (clientId: string): readonly string[] => typing.get(clientId) ?? NONE,
    subscribe: changed.on,
    /** Shows the other admins which conversation this tab shows. */
    setViewing(clientId: string | null): void {
      viewing = clientId
      chat.setViewing(clientId)
    },
    /** Follows the facts until the returned function is called. */
    start(): () => void {
      const unsubscribers = [
        chat.onViewing(setViewers),
        chat.onAdminTyping(({ clientId, userId: admin, typing: isTyping }: AdminTypingChanged) => {
          if (admin !== undefined && admin !== userId) setTyping(clientId, admin, isTyping)
        }),
        chat.onMessage(({ clientId, senderId }) => setTyping(clientId, senderId, false)),
        // The server does not know which conversation a new socket shows.
        chat.onResync(() => void chat.setViewing(viewing)),
        chat.link.subscribe(() => {
          const { connection, via } = chat.link.getState()
          if (connection !== 'connected' || via !== 'push') clear()
        }),
      ]
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe()
        clear()
      }
    },
  }
}
