import { createECDH } from 'node:crypto'
import type { DocumentRepository } from '../storage/documents.ts'

const DOCUMENT = 'vapid'

/** Signs pushes; base64url. Browsers subscribe with the public key, so the pair never changes. */
export interface VapidKeys {
  publicKey: string
  privateKey: string
}

/** The pair of the store. The first node that needs it makes it. */
export function createVapidKeys(documents: DocumentRepository): () => Promise<VapidKeys> {
  let known: VapidKeys | undefined
  return async () => {
    while (known === undefined) {
      known = (await documents.read<VapidKeys>(DOCUMENT))?.value
      // Refused when another node wrote one meanwhile: it is read then.
      if (known === undefined) await documents.write(DOCUMENT, newKeys(), 0)
    }
    return known
  }
}

function newKeys(): VapidKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Without its leading zeros: a private key always has 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}
