import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { DocumentRepository } from '../storage/model/documents.ts'

/**
 * A secret of the store, under the name of a document. The first node that needs it makes it. It never changes, also when
 * JWT_SECRET does, and backups contain it.
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
      // Refused when another node wrote one meanwhile: it is read then.
      if (known === undefined) await documents.write(name, make(), 0)
    }
    return known
  }
}

/** Hashes in memory: the messages of a visitor come from the same network. */
const KNOWN_MAX = 1_000

/** HMAC-SHA256 with a key of the store, base64url: only a process with the store's key can test a guess of the hashed value. */
export type KeyedHash = (purpose: string, text: string) => Promise<string>

export function createKeyedHash(documents: DocumentRepository): KeyedHash {
  const secret = createStoreSecret(documents, 'address-key', () => randomBytes(32).toString('base64url'))
  // Made once: each message is hashed, and making the key takes longer than the hash.
  let key: KeyObject | undefined
  const known = new Map<string, string>()
  return async (purpose, text) => {
    key ??= createSecretKey(Buffer.from(await secret(), 'base64url'))
    const hashed = `${purpose}\n${text}`
    const hash = known.get(hashed) ?? createHmac('sha256', key).update(hashed).digest('base64url')
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(hashed, hash)
    return hash
  }
}
