import {
  SITE_LABEL_MAX,
  SITE_NAME_MAX,
  SITE_OFFSET_MAX,
  SITE_ORIGINS_MAX,
  SITE_SECRETS_MAX,
} from '@proctorpass/shared/limits'
import type { SiteLook } from '@proctorpass/shared/schemas/site'
import Type from 'typebox'
import { ClientId, Id, Positive, strict, Time, TimeOrNull, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const

const Pixels = Type.Integer({ minimum: 0, maximum: SITE_OFFSET_MAX })

const Secret = strict({
  _id: Id,
  sealed: Type.String({ pattern: '^[A-Za-z0-9_-]{1,256}$' }),
  createdAt: Time,
  lastUsedAt: TimeOrNull,
})

export const SITES: PlainTable<SiteRecord> = {
  name: 'sites',
  key: '_id',
  fields: {
    _id: ClientId,
    name: text(SITE_NAME_MAX, 1),
    // Without the signs that would end a source or a directive of the header that names them.
    origins: Type.Array(Type.String({ pattern: '^https?://[a-z0-9*._:\\[\\]-]{1,300}$' }), {
      minItems: 1,
      maxItems: SITE_ORIGINS_MAX,
    }),
    enabled: Type.Boolean(),
    color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
    side: Type.Union([Type.Literal('left'), Type.Literal('right')]),
    offsetX: Pixels,
    offsetY: Pixels,
    labelEn: text(SITE_LABEL_MAX),
    labelZh: text(SITE_LABEL_MAX),
    secrets: Type.Array(Secret, { maxItems: SITE_SECRETS_MAX }),
    createdAt: Time,
    version: Positive,
  },
  indexes: { oldest: { by: OLDEST_FIRST } },
}

export function openSites(sites: Rows<SiteRecord>): SiteRepository {
  /** `change` answers why the secrets stay as they are. */
  async function changeSecrets<Refusal extends string>(
    _id: string,
    change: (secrets: readonly SecretRecord[]) => readonly SecretRecord[] | Refusal,
  ): Promise<'stored' | 'missing' | Refusal> {
    for (;;) {
      const found = await sites.find({ _id })
      if (found === null) return 'missing'
      const secrets = change(found.secrets)
      if (typeof secrets === 'string') return secrets
      // Judged by the write: another call may have changed them meanwhile.
      if ((await sites.update({ _id, secrets: found.secrets }, { secrets })) === 'updated') return 'stored'
    }
  }

  return {
    // The least time is 0, so this is all of them, along the index.
    list: () => sites.list({ createdAt: { '>=': 0 } }, { order: OLDEST_FIRST }),
    find: (_id) => sites.find({ _id }),
    async create(site, max) {
      // Of two that are created at once, both may be stored: the limit is one of size, not of rights.
      if ((await sites.count()) >= max) return false
      return sites.insert(site)
    },

    async update(_id, change, version) {
      const stored = await sites.update({ _id, version }, { ...change, version: version + 1 })
      const site = await sites.find({ _id })
      if (site === null) return { outcome: 'missing' }
      return stored === 'updated' ? { outcome: 'stored', site } : { outcome: 'stale' }
    },

    remove: async (_id) => (await sites.remove({ _id })) === 1,

    addSecret: (_id, secret, max) =>
      changeSecrets<'full'>(_id, (secrets) => (secrets.length >= max ? 'full' : [...secrets, secret])),

    async changeSecret(_id, secretId, change) {
      const outcome = await changeSecrets(_id, (secrets) =>
        secrets.some((secret) => secret._id === secretId)
          ? secrets.map((secret) => (secret._id === secretId ? { ...secret, ...change } : secret))
          : ('missing' as const),
      )
      return outcome === 'stored'
    },

    async removeSecret(_id, secretId) {
      const outcome = await changeSecrets(_id, (secrets) => {
        const left = secrets.filter((secret) => secret._id !== secretId)
        return left.length < secrets.length ? left : ('missing' as const)
      })
      return outcome === 'stored'
    },
  }
}
