import { hash } from 'node:crypto'
import { networkOf } from '../limits/networks.ts'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/**
 * The stored form of a visitor key. A plain hash is enough: 256 random bits cannot be guessed from it.
 * @see docs/decisions/0033-visitor-keys.md
 */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

type KeyHolder = { clientId: string; keyHash: string | null }

/**
 * The limit key of a visitor's calls in a conversation with these keys. While it has none, any key opens it: a new one for
 * each call would be a new allowance each time, so there the key does not count. Judge the key first: callers without one
 * of its keys must not use up the limit of its owner.
 */
export function limitKey({ clientId, keyHash }: KeyHolder, keyHashes: KeyHashes): string {
  return keyHashes.length === 0 || keyHash === null ? clientId : `${clientId} ${keyHash}`
}

/**
 * The same by the key that a call shows, where the write judges it: a message that is stored with a key locks the
 * conversation to that key, and one that is not costs its address.
 */
export function claimedLimitKey({ clientId, keyHash }: KeyHolder): string {
  return keyHash === null ? clientId : `${clientId} ${keyHash}`
}

/** The limit key of reads: of a conversation by one address. Wrong keys cost the address more than its reads. */
export function readLimitKey(clientId: string, address: string): string {
  return `${clientId} ${networkOf(address)}`
}
