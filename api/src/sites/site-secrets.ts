import { randomBytes } from 'node:crypto'
import type { Seal } from '../credentials/sealed-text.ts'
import type { SecretRecord } from '../storage/port/sites.ts'
import { newId } from '../storage/rules/ids.ts'

const purposeOf = (siteId: string, secretId: string) => `site secret ${siteId} ${secretId}`

/** A new secret of a site: its text, and its row. */
export function newSecret(seal: Seal, siteId: string, at: number): { text: string; record: SecretRecord } {
  const _id = newId(at)
  const text = `pps_${randomBytes(32).toString('base64url')}`
  const sealed = seal.seal(purposeOf(siteId, _id), text)
  return { text, record: { _id, sealed, createdAt: at, lastUsedAt: null } }
}
