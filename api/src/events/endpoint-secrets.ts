import { createHmac, randomBytes } from 'node:crypto'
import type { Seal } from '../credentials/sealed-text.ts'
import type { EndpointRecord, EndpointSecretRecord } from '../storage/model/endpoints.ts'

const PREFIX = 'whsec_'
const BYTES = 32

const purposeOf = (endpointId: string, { createdAt }: { createdAt: number }) =>
  `endpoint secret ${endpointId} ${createdAt}`

/** Creates an endpoint's new secret in the form of Standard Webhooks: its text and its row. */
export function newEndpointSecret(
  seal: Seal,
  endpointId: string,
  createdAt: number,
): { text: string; record: EndpointSecretRecord } {
  const text = PREFIX + randomBytes(BYTES).toString('base64')
  const sealed = seal.seal(purposeOf(endpointId, { createdAt }), text)
  return { text, record: { sealed, createdAt, endsAt: null } }
}

/**
 * Returns the secrets that sign at this time, newest first. `resealed` holds the row's secrets sealed with the current
 * JWT_SECRET if some need the previous one. Without JWT_SECRET and its predecessor, no secret can be read.
 */
export function signingSecrets(
  seal: Seal,
  { _id, secrets }: Pick<EndpointRecord, '_id' | 'secrets'>,
  at: number,
): { texts: string[]; resealed: EndpointSecretRecord[] | null } {
  const living = secrets.filter(({ endsAt }) => endsAt === null || endsAt > at)
  const opened = living.flatMap((secret) => {
    const found = seal.unseal(purposeOf(_id, secret), secret.sealed)
    return found === null ? [] : [{ secret, ...found }]
  })
  const resealed = opened.map(({ secret, text }) => ({
    ...secret,
    sealed: seal.seal(purposeOf(_id, secret), text),
  }))
  const isStale = opened.some(({ stale }) => stale)
  return { texts: opened.map(({ text }) => text), resealed: isStale ? resealed : null }
}

/** Returns the headers of Standard Webhooks 1.0. `at` is in milliseconds since 1970. Every secret signs. */
export function webhookHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: Buffer },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
    return `v1,${signed.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
