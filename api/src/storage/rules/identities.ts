import type { ActivityRecord } from '../port/inbox.ts'
import type { ToStore } from './conversation.ts'

/** The nonce of an entry: one for each other conversation. */
export const identityNonce = (otherClientId: string) => `identity-${otherClientId}`

/** The entry that says that a site signed the visitor; null without messages, and when it is stored: `found`. */
export function decideIdentity(
  { seq }: { seq: number },
  data: { sub: string; clientId: string },
  at: number,
  found: ActivityRecord | null,
): ToStore<object> | null {
  if (seq === 0 || found !== null) return null
  const entry = { kind: 'identity' as const, by: null, at, data, nonce: identityNonce(data.clientId) }
  return { outcome: 'stored', set: {}, entries: [entry] }
}
