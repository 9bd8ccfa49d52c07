import { createECDH } from 'node:crypto'
import { createStoreSecret } from '../credentials/store-secret.ts'
import type { DocumentRepository } from '../storage/port/documents.ts'

/** Signs pushes; base64url. Browsers subscribe with the public key, so the pair never changes. */
export interface VapidKeys {
  publicKey: string
  privateKey: string
}

export function createVapidKeys(documents: DocumentRepository): () => Promise<VapidKeys> {
  return createStoreSecret(documents, 'vapid', newKeys)
}

function newKeys(): VapidKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Without its leading zeros: a private key always has 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}
