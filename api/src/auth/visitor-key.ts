import { hash } from 'node:crypto'

/** What is stored and compared of a visitor's key. A plain hash: 256 random bits cannot be guessed from it. */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Under what a visitor's calls are counted: who only knows the clientId uses up nothing of who has the key. */
export function allowanceOf({ clientId, keyHash }: { clientId: string; keyHash: string | null }): string {
  return keyHash === null ? clientId : `${clientId} ${keyHash}`
}
