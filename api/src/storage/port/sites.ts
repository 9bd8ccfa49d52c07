import type { SiteLook } from '@proctorpass/shared/schemas/site'

/** Times are milliseconds since 1970 UTC. */
export interface SecretRecord {
  _id: string
  /** See `sites/site-secrets.ts`. */
  sealed: string
  createdAt: number
  lastUsedAt: number | null
}

/** A website on which the widget runs. */
export interface SiteRecord {
  /** 20 letters and digits. */
  _id: string
  name: string
  origins: readonly string[]
  enabled: boolean
  color: string
  side: SiteLook['side']
  /** Pixels. */
  offsetX: number
  offsetY: number
  labelEn: string
  labelZh: string
  secrets: readonly SecretRecord[]
  createdAt: number
  /** 1 at first, incremented by each change but those of secrets. */
  version: number
}

/** Undefined fields stay as they are. */
export type SiteFields = Partial<Omit<SiteRecord, '_id' | 'secrets' | 'createdAt' | 'version'>>

export interface SiteRepository {
  /** In order of creation. */
  list(): Promise<SiteRecord[]>
  find(id: string): Promise<SiteRecord | null>
  /** False when there are `max`. */
  create(site: SiteRecord, max: number): Promise<boolean>
  /** Stores the change under the next version while `version` is stored, judged by the write itself. */
  update(
    id: string,
    change: SiteFields,
    version: number,
  ): Promise<{ outcome: 'stored'; site: SiteRecord } | { outcome: 'missing' | 'stale' }>
  /** False when it is missing. */
  remove(id: string): Promise<boolean>
  /** Adds a secret, judged by the write itself. `full`: the site has `max`. */
  addSecret(id: string, secret: SecretRecord, max: number): Promise<'stored' | 'missing' | 'full'>
  /** Changes fields of a secret. False when it is missing. */
  changeSecret(
    id: string,
    secretId: string,
    change: Partial<Pick<SecretRecord, 'sealed' | 'lastUsedAt'>>,
  ): Promise<boolean>
  /** False when it is missing. */
  removeSecret(id: string, secretId: string): Promise<boolean>
}
