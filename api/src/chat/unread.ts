import { UNREAD_THROTTLE_MS } from '@proctorpass/shared/limits'
import type { ChatListener } from './listeners.ts'

/**
 * Notifies the listeners of unread counts. The first change is notified at once; the changes of the next
 * UNREAD_THROTTLE_MS are notified together, with each conversation's latest count. `local` means that this node made
 * the change, and not a peer.
 */
export function createUnreadThrottle(
  listeners: readonly ChatListener[],
  totalAdminUnread: () => Promise<number>,
): (clientId: string, adminUnread: number, local: boolean) => void {
  let waiting = new Map<string, { adminUnread: number; local: boolean }>()
  let notifiedAt = Number.NEGATIVE_INFINITY

  async function notify(): Promise<void> {
    notifiedAt = performance.now()
    const changed = [...waiting]
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
      const wait = notifiedAt + UNREAD_THROTTLE_MS - performance.now()
      if (wait <= 0) setImmediate(notify)
      else setTimeout(notify, wait).unref()
    }
    waiting.set(clientId, { adminUnread, local: local || waiting.get(clientId)?.local === true })
  }
}
