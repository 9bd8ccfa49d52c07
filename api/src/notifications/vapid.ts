import { createECDH, createPrivateKey, sign } from 'node:crypto'
import { createStoreSecret } from '../credentials/store-secret.ts'
import type { DocumentRepository } from '../storage/model/documents.ts'

const SIGNATURE_GOOD_FOR_S = 12 * 60 * 60
/** How long a signature is reused. Creating one costs more than encrypting a push. */
const SIGNED_FOR_MS = 60 * 60 * 1_000
const SIGNATURES_MAX = 100

/** The key pair that signs pushes, in base64url. Browsers subscribe with the public key, so the pair never changes. */
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
  // Node drops a private key's leading zeros, but VAPID needs all 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}

interface AuthorizationsDeps {
  keys: () => Promise<VapidKeys>
  /** The contact that a push service may use: an `https:` or `mailto:` URL. */
  subject: string
  now: () => number
}

/**
 * Returns a function that resolves to the Authorization header for the push service at an origin, and reuses it for an
 * hour.
 */
export function createAuthorizations(deps: AuthorizationsDeps): (origin: string) => Promise<string> {
  const { keys, subject, now } = deps
  const known = new Map<string, { header: string; at: number }>()

  return async (origin) => {
    const own = await keys()
    const last = known.get(origin)
    if (last !== undefined && Math.abs(now() - last.at) < SIGNED_FOR_MS) return last.header
    const header = vapidAuthorization(origin, subject, own)
    if (known.size >= SIGNATURES_MAX) known.clear()
    known.set(origin, { header, at: now() })
    return header
  }
}

/**
 * Returns the Authorization header (RFC 8292) that names the sender to the push service at `origin`. It is valid for
 * twelve hours.
 */
export function vapidAuthorization(
  origin: string,
  subject: string,
  { publicKey, privateKey }: VapidKeys,
): string {
  const exp = Math.floor(Date.now() / 1_000) + SIGNATURE_GOOD_FOR_S
  const signed = [
    { typ: 'JWT', alg: 'ES256' },
    { aud: origin, exp, sub: subject },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey }, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`
}
