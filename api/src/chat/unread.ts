import { UNREAD_THROTTLE_MS } from '@proctorpass/shared/limits'
import type { ChatListener } from './listeners.ts'

/** How much longer the pause is after each fact: while many people write, admins receive 100 facts a second. */
const PAUSE_PER_FACT_MS = 10
const PAUSE_MAX_MS = 1_000

/**
 * Notifies the listeners of unread counts. The first change is notified at once; the changes of a pause of at least
 * UNREAD_THROTTLE_MS are notified together, with each conversation's latest count. `local` means that this node made
 * the change, and not a peer.
 */
export function createUnreadThrottle(
  listeners: readonly ChatListener[],
  totalAdminUnread: () => Promise<number>,
): (clientId: string, adminUnread: number, local: boolean) => void {
  let waiting = new Map<string, { adminUnread: number; local: boolean }>()
  let pausesUntil = Number.NEGATIVE_INFINITY

  async function notify(): Promise<void> {
    const changed = [...waiting]
    const pause = Math.min(changed.length * PAUSE_PER_FACT_MS, PAUSE_MAX_MS)
    pausesUntil = performance.now() + Math.max(UNREAD_THROTTLE_MS, pause)
    waiting = new Map()
    const counts = changed
      .filter(([, { local }]) => local)
      .map(([clientId, { adminUnread }]): [string, number] => [clientId, adminUnread])
    if (counts.length > 0) for (const listener of listeners) listener.unreadChangedLocally(counts)
    let total: number
    try {
      total = await totalAdminUnread()
    } catch {
      return // The fact is only a hint, because dashboards read the list again anyway.
    }
    for (const [clientId, { adminUnread }] of changed) {
      for (const listener of listeners) {
        listener.unreadChanged({ totalAdminUnread: total, clientId, adminUnread })
      }
    }
  }

  return (clientId, adminUnread, local) => {
    if (waiting.size === 0) {
      const wait = pausesUntil - performance.now()
      if (wait <= 0) setImmediate(notify)
      else setTimeout(notify, wait).unref()
    }
    waiting.set(clientId, { adminUnread, local: local || waiting.get(clientId)?.local === true })
  }
}
