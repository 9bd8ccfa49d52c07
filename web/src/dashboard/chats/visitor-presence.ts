import type { PresenceChanged } from '@proctorpass/shared/events'

/** Which visitors are there, as far as the hub told; nobody is known while nothing is pushed. */
export interface Presence {
  isOnline(clientId: string): boolean | null
  subscribe(listener: () => void): () => void
  note(fact: PresenceChanged): void
  forget(): void
}

export function createPresence(): Presence {
  const online = new Map<string, boolean>()
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    isOnline: (clientId) => online.get(clientId) ?? null,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    note(fact) {
      if (fact.clientId === undefined) return
      online.set(fact.clientId, fact.online)
      tell()
    },
    forget() {
      online.clear()
      tell()
    },
  }
}
