import type { AdminTypingChanged, ViewingChanged } from '@proctorpass/shared/events'
import { TYPING_TTL_MS } from '@proctorpass/shared/limits'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'

const NONE: readonly string[] = []

/** What the other admins do now, from the hub's facts. Empty while polling. */
export interface OtherAdmins {
  /** Ids of the other admins who have this conversation open. */
  viewersOf(clientId: string): readonly string[]
  /** Ids of the other admins who type a reply in it. */
  typingIn(clientId: string): readonly string[]
  subscribe(listener: () => void): () => void
  /** Tells them which conversation this tab shows. */
  setViewing(clientId: string | null): void
  /** Follows the facts until the function that it returns is called. */
  start(): () => void
}

export function createOtherAdmins(chat: AdminChat, userId: string): OtherAdmins {
  const viewers = new Map<string, readonly string[]>()
  const typing = new Map<string, readonly string[]>()
  /** By clientId and user id. */
  const expiries = new Map<string, ReturnType<typeof setTimeout>>()
  const listeners = new Set<() => void>()
  let viewing: string | null = null

  function notify(): void {
    for (const listener of listeners) listener()
  }

  function setViewers({ clientId, userIds }: ViewingChanged): void {
    const others = userIds.filter((each) => each !== userId)
    if (others.length > 0) viewers.set(clientId, others)
    else viewers.delete(clientId)
    notify()
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
    notify()
  }

  function clear(): void {
    for (const timer of expiries.values()) clearTimeout(timer)
    expiries.clear()
    if (viewers.size + typing.size === 0) return
    viewers.clear()
    typing.clear()
    notify()
  }

  return {
    viewersOf: (clientId) => viewers.get(clientId) ?? NONE,
    typingIn: (clientId) => typing.get(clientId) ?? NONE,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setViewing(clientId) {
      viewing = clientId
      chat.setViewing(clientId)
    },
    start() {
      const unsubscribers = [
        chat.onViewing(setViewers),
        chat.onAdminTyping(({ clientId, userId: admin, typing: isTyping }: AdminTypingChanged) => {
          if (admin !== undefined && admin !== userId) setTyping(clientId, admin, isTyping)
        }),
        chat.onMessage(({ clientId, senderId }) => setTyping(clientId, senderId, false)),
        // A new socket does not know it.
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
