import type { PresenceChanged } from '@proctorpass/shared/events'

/** Which visitors are online, from the hub's facts. Empty while polling. */
export interface VisitorPresence {
  isOnline(clientId: string): boolean | null
  subscribe(listener: () => void): () => void
  apply(fact: PresenceChanged): void
  clear(): void
}

export function createVisitorPresence(): VisitorPresence {
  const online = new Map<string, boolean>()
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  return {
    isOnline: (clientId) => online.get(clientId) ?? null,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    apply(fact) {
      if (fact.clientId === undefined) return
      online.set(fact.clientId, fact.online)
      notify()
    },
    clear() {
      online.clear()
      notify()
    },
  }
}
