import { keysOf, ownerPrefix } from './outbox.ts'
import type { Tab } from './tab.ts'

/** Returns the clientIds of the conversations in which this owner has pending messages. Only admins have several. */
export function pendingClients(tab: Tab, owner: string): string[] {
  const prefix = ownerPrefix(owner)
  return [
    ...new Set(keysOf(tab, prefix).map((key) => key.slice(prefix.length, key.indexOf(':', prefix.length)))),
  ]
}
