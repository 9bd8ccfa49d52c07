import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { DocumentRepository } from '../storage/model/documents.ts'

/**
 * Keeps a secret in the store, in the document with this name. The first node that needs the secret makes it. It never
 * changes, even if JWT_SECRET does, and backups contain it.
 */
export function createStoreSecret<T>(
  documents: DocumentRepository,
  name: string,
  make: () => T,
): () => Promise<T> {
  let known: T | undefined
  return async () => {
    while (known === undefined) {
      known = (await documents.read<T>(name))?.value
      // The write is refused if another node wrote a secret in the meantime, which is then read.
      if (known === undefined) await documents.write(name, make(), 0)
    }
    return known
  }
}

/** Hashes that are kept in memory, because a visitor's messages come from the same network. */
const KNOWN_MAX = 1_000

/**
 * Returns an HMAC-SHA256 with a key in the store, in base64url. Only a process with the store's key can test a guess of
 * the hashed value.
 */
export type KeyedHash = (purpose: string, text: string) => Promise<string>

export function createKeyedHash(documents: DocumentRepository): KeyedHash {
  const secret = createStoreSecret(documents, 'address-key', () => randomBytes(32).toString('base64url'))
  // The key is made once, because each message is hashed, and making the key takes longer than hashing.
  let key: KeyObject | undefined
  const known = new Map<string, string>()
  return async (purpose, text) => {
    key ??= createSecretKey(Buffer.from(await secret(), 'base64url'))
    const hashed = `${purpose}\n${text}`
    const found = known.get(hashed)
    if (found !== undefined) return found
    const hash = createHmac('sha256', key).update(hashed).digest('base64url')
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(hashed, hash)
    return hash
  }
}
