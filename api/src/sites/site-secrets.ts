import { randomBytes } from 'node:crypto'
import type { Seal } from '../credentials/sealed-text.ts'
import { newId } from '../storage/model/ids.ts'
import type { SecretRecord } from '../storage/model/sites.ts'

const purposeOf = (siteId: string, secretId: string) => `site secret ${siteId} ${secretId}`

/** Creates a site's secret: its text, and its row. */
export function newSecret(seal: Seal, siteId: string, at: number): { text: string; record: SecretRecord } {
  const _id = newId(at)
  const text = `pps_${randomBytes(32).toString('base64url')}`
  const sealed = seal.seal(purposeOf(siteId, _id), text)
  return { text, record: { _id, sealed, createdAt: at, lastUsedAt: null } }
}

export interface OpenSecret {
  _id: string
  text: string
  lastUsedAt: number | null
  /** The text sealed with the present JWT_SECRET; null unless the stored text needs the previous one. */
  resealed: string | null
}

/** Returns the secrets that this server can read. Without JWT_SECRET they are lost. */
export function openSecrets(seal: Seal, siteId: string, secrets: readonly SecretRecord[]): OpenSecret[] {
  return secrets.flatMap(({ _id, sealed, lastUsedAt }) => {
    const purpose = purposeOf(siteId, _id)
    const opened = seal.unseal(purpose, sealed)
    if (opened === null) return []
    const resealed = opened.stale ? seal.seal(purpose, opened.text) : null
    return [{ _id, text: opened.text, lastUsedAt, resealed }]
  })
}
