import type { ToStore } from './conversation.ts'

/** The nonce of an entry: one for each other conversation. */
export const identityNonce = (otherClientId: string) => `identity-${otherClientId}`

/** The entry that says that a site signed the visitor; null without messages. */
export function decideIdentity(
  { seq }: { seq: number },
  data: { sub: string; clientId: string },
  at: number,
): ToStore<object> | null {
  if (seq === 0) return null
  const entry = { kind: 'identity' as const, by: null, at, data, nonce: identityNonce(data.clientId) }
  return { outcome: 'stored', set: {}, entries: [entry] }
}
