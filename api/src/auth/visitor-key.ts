import { hash } from 'node:crypto'
import { networkOf } from '../limits/networks.ts'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/**
 * Returns the stored form of a visitor key. A plain hash is enough, because 256 random bits cannot be guessed from it.
 * @see docs/decisions/0033-visitor-keys.md
 */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

type KeyHolder = { clientId: string; keyHash: string | null }

/**
 * Returns the limit key for a visitor's calls in a conversation with these keys. While the conversation has no keys,
 * the caller's key does not count: any key opens it, so each call with a new key would get a new allowance. Check the
 * key first, because callers without one of the conversation's keys must not use up its owner's limit.
 */
export function limitKey({ clientId, keyHash }: KeyHolder, keyHashes: KeyHashes): string {
  return keyHashes.length === 0 || keyHash === null ? clientId : `${clientId} ${keyHash}`
}

/**
 * Returns the limit key by the key that a call brings, for calls whose key the write checks: a message that is stored
 * with a key locks the conversation to that key, and a message that is not stored costs its address.
 */
export function claimedLimitKey({ clientId, keyHash }: KeyHolder): string {
  return keyHash === null ? clientId : `${clientId} ${keyHash}`
}

/** Returns the limit key for one address's reads of a conversation. Wrong keys cost the address more than its reads. */
export function readLimitKey(clientId: string, address: string): string {
  return `${clientId} ${networkOf(address)}`
}
