import {
  LANGUAGE_TAG_PATTERN,
  SETTINGS_TEXT_MAX,
  SITE_DISPLAY_NAME_MAX,
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

/** A secret that signs tokens. Times are milliseconds since 1970 UTC. */
export interface SecretRecord {
  _id: string
  /** The sealed secret, see `sites/site-secrets.ts`. */
  sealed: string
  createdAt: number
  lastUsedAt: number | null
}

/** A website on which the widget runs. */
export interface SiteRecord {
  /** The ID, 20 letters and digits. */
  _id: string
  name: string
  displayName: string
  greetingEn: string
  greetingZh: string
  /** The greetings in languages other than English and Chinese, by tag. */
  otherGreetings: Readonly<Record<string, string>>
  origins: readonly string[]
  enabled: boolean
  color: string
  side: SiteLook['side']
  /** The offset in pixels. */
  offsetX: number
  offsetY: number
  labelEn: string
  labelZh: string
  /** The labels in languages other than English and Chinese, by tag. */
  otherLabels: Readonly<Record<string, string>>
  secrets: readonly SecretRecord[]
  createdAt: number
  /** Begins with 1 and increases by 1 with each change, except changes to secrets. */
  version: number
}

/** Undefined fields stay as they are. */
export type SiteFields = Partial<Omit<SiteRecord, '_id' | 'secrets' | 'createdAt' | 'version'>>

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const

const Pixels = Type.Integer({ minimum: 0, maximum: SITE_OFFSET_MAX })

/** Texts by the tags of their languages. */
const texts = (max: number) =>
  Type.Object(
    {},
    { patternProperties: { [LANGUAGE_TAG_PATTERN]: text(max, 1) }, additionalProperties: false },
  )

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
    displayName: text(SITE_DISPLAY_NAME_MAX),
    greetingEn: text(SETTINGS_TEXT_MAX),
    greetingZh: text(SETTINGS_TEXT_MAX),
    otherGreetings: texts(SETTINGS_TEXT_MAX),
    // An origin has no characters that would end a source or a directive in the header that names it.
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
    otherLabels: texts(SITE_LABEL_MAX),
    secrets: Type.Array(Secret, { maxItems: SITE_SECRETS_MAX }),
    createdAt: Time,
    version: Positive,
  },
  missing: { displayName: '', greetingEn: '', greetingZh: '', otherGreetings: {}, otherLabels: {} },
  indexes: { oldest: { by: OLDEST_FIRST } },
}

export function openSites(sites: Rows<SiteRecord>) {
  /** Changes a site's secrets. `change` returns the new secrets or the reason why they stay. */
  async function changeSecrets<Refusal extends string>(
    _id: string,
    change: (secrets: readonly SecretRecord[]) => readonly SecretRecord[] | Refusal,
  ): Promise<'stored' | 'missing' | Refusal> {
    for (;;) {
      const found = await sites.find({ _id })
      if (found === null) return 'missing'
      const secrets = change(found.secrets)
      if (typeof secrets === 'string') return secrets
      // The write decides, because another call may have changed the secrets in the meantime.
      if ((await sites.update({ _id, secrets: found.secrets }, { secrets })) === 'updated') return 'stored'
    }
  }

  return {
    /** Lists all sites in the order of their creation. No time is below 0, so the index serves the list. */
    list: () => sites.list({ createdAt: { '>=': 0 } }, { order: OLDEST_FIRST }),
    find: (_id: string) => sites.find({ _id }),
    /**
     * Creates a site. Returns false when there are `max`. Of two that are created at once, both may be stored, because
     * the limit is about size and not about rights.
     */
    async create(site: SiteRecord, max: number): Promise<boolean> {
      if ((await sites.count()) >= max) return false
      return sites.insert(site)
    },

    /** Stores the change under the next version, but only while `version` is stored. The write itself checks this. */
    async update(
      _id: string,
      change: SiteFields,
      version: number,
    ): Promise<{ outcome: 'stored'; site: SiteRecord } | { outcome: 'missing' | 'stale' }> {
      const stored = await sites.update({ _id, version }, { ...change, version: version + 1 })
      const site = await sites.find({ _id })
      if (site === null) return { outcome: 'missing' }
      return stored === 'updated' ? { outcome: 'stored', site } : { outcome: 'stale' }
    },

    /** Returns false when the site is missing. */
    remove: async (_id: string) => (await sites.remove({ _id })) === 1,

    /** Adds a secret. `full` means that the site has `max`. The write itself checks this. */
    addSecret: (_id: string, secret: SecretRecord, max: number) =>
      changeSecrets<'full'>(_id, (secrets) => (secrets.length >= max ? 'full' : [...secrets, secret])),

    /** Changes a secret's fields. Returns false when the secret is missing. */
    async changeSecret(
      _id: string,
      secretId: string,
      change: Partial<Pick<SecretRecord, 'sealed' | 'lastUsedAt'>>,
    ): Promise<boolean> {
      const outcome = await changeSecrets(_id, (secrets) =>
        secrets.some((secret) => secret._id === secretId)
          ? secrets.map((secret) => (secret._id === secretId ? { ...secret, ...change } : secret))
          : ('missing' as const),
      )
      return outcome === 'stored'
    },

    /** Returns false when the secret is missing. */
    async removeSecret(_id: string, secretId: string): Promise<boolean> {
      const outcome = await changeSecrets(_id, (secrets) => {
        const left = secrets.filter((secret) => secret._id !== secretId)
        return left.length < secrets.length ? left : ('missing' as const)
      })
      return outcome === 'stored'
    },
  }
}
