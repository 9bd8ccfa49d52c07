import { isDeepStrictEqual } from 'node:util'
import { AppError, changedMeanwhile, fieldErrors } from '@proctorpass/shared/errors'
import { cleanSite, DEFAULT_LOOK, type SiteFields, siteProblems } from '@proctorpass/shared/fields/site'
import { SITE_SECRETS_MAX, SITES_MAX } from '@proctorpass/shared/limits'
import type { Localized } from '@proctorpass/shared/schemas/settings'
import type {
  NewSecret,
  NewSite,
  Site,
  SiteChange,
  SiteList,
  SiteLook,
} from '@proctorpass/shared/schemas/site'
import { auditEntry } from '../audit/entry.ts'
import { type AdminCaller, confirmRequired } from '../auth/caller.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import { cachedRead } from '../settings/cached-read.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { SiteRecord, SiteFields as StoredFields } from '../storage/model/sites.ts'
import type { Storage } from '../storage/model/storage.ts'
import { randomId } from './random-id.ts'
import { newSecret, type OpenSecret, openSecrets } from './site-secrets.ts'

/** How long a read of the store counts as current. */
const CURRENT_MS = 1_000
/** How often the use of a secret is noted. */
const USED_EVERY_MS = 60_000

/** What every request may know about a site. */
export type KnownSite = Readonly<Omit<Site, 'secrets' | 'version'>>

interface SitesDeps {
  storage: Pick<Storage, 'sites'>
  seal: Seal
  /** Whether the widget has words in this language. */
  isKnownLanguage: (tag: string) => boolean
  now: () => number
}

/**
 * The use cases for sites. Wrong fields throw an AppError `invalid-input` with a detail for each, and unknown IDs throw
 * `not-found`.
 */
export function createSites({ storage, seal, isKnownLanguage, now }: SitesDeps) {
  let known: ReadonlyMap<string, SiteRecord> | null = null
  let changes = 0

  async function readStored(): Promise<SiteRecord[]> {
    const before = changes
    const sites = await storage.sites.list()
    // A read that began before this node's change may lack the change.
    if (before === changes) known = new Map(sites.map((site) => [site._id, site]))
    return sites
  }

  const refresh = cachedRead(() => readStored().then(noValue, noValue), CURRENT_MS)

  /** Reads the sites again after a change was stored or refused. */
  async function learn(): Promise<void> {
    changes += 1
    await readStored()
  }

  async function recordOf(siteId: string): Promise<SiteRecord | undefined> {
    await refresh()
    if (known === null) await readStored()
    return known?.get(siteId)
  }

  /**
   * Returns a site, and is cheap enough for every request; null for an unknown ID. It knows this node's changes at
   * once, and other nodes' changes at most a second later. While the store is away, the last known sites are used;
   * without any, throws an AppError `unavailable`.
   */
  async function find(siteId: string): Promise<KnownSite | null> {
    const site = await recordOf(siteId)
    return site === undefined ? null : knownSite(site)
  }

  /** Returns the given fields as they are stored. Texts in a language whose file is gone for a while stay. */
  function checked<Fields extends SiteFields>(input: Fields, stored?: SiteRecord): Fields {
    const { otherGreetings = {}, otherLabels = {} } = stored ?? {}
    const isKept = (tag: string) => isKnownLanguage(tag) || tag in otherGreetings || tag in otherLabels
    const cleaned = cleanSite(input, isKept)
    const details = siteProblems(cleaned)
    if (details.length > 0) throw fieldErrors(details)
    return cleaned
  }

  return {
    async list(_admin: AdminCaller): Promise<SiteList> {
      const sites = (await readStored()).map(toSite)
      return { sites, count: sites.length }
    },

    /** Throws an AppError `conflict` if there are already SITES_MAX sites. */
    async create(admin: AdminCaller, input: NewSite): Promise<Site> {
      const { name, displayName = '', greeting = NO_GREETING, origins, enabled = true, look } = checked(input)
      const site: SiteRecord = {
        ...{ _id: randomId(), name, displayName, ...greetingColumns(greeting), origins, enabled },
        ...{ ...lookColumns(look ?? DEFAULT_LOOK), secrets: [], createdAt: now(), version: 1 },
      }
      const entry = auditEntry(admin, 'site.created', { target: site._id, details: { name } })
      if (!(await withEntry(entry, () => storage.sites.create(site, SITES_MAX)))) {
        throw new AppError('conflict', `There are already ${SITES_MAX} websites. Delete one to add another.`)
      }
      await learn()
      return toSite(site)
    },

    /**
     * Changes the given fields. Throws an AppError `conflict` with a detail for `version` if the site changed since
     * that version.
     */
    async update(admin: AdminCaller, id: string, { version, ...input }: SiteChange): Promise<Site> {
      if (Object.values(input).every((value) => value === undefined)) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const before = (await readStored()).find(({ _id }) => _id === id)
      const { greeting, look, ...same } = checked(input, before)
      const { origins } = same
      if (before === undefined) throw notFound()
      const isFramedBySame = origins === undefined || isDeepStrictEqual(origins, before.origins)
      if (!isFramedBySame && !admin.isConfirmed) throw confirmRequired()
      const fields: StoredFields = {
        ...same,
        ...(greeting === undefined ? {} : greetingColumns(greeting)),
        ...(look === undefined ? {} : lookColumns(look)),
      }
      const changed = Object.entries({ ...same, greeting, look }).filter(
        ([field, value]) =>
          value !== undefined && !isDeepStrictEqual(value, knownSite(before)[field as keyof KnownSite]),
      )
      const entry = auditEntry(admin, 'site.changed', {
        target: id,
        details: { fields: changed.map(([field]) => field) },
      })
      const updated = await withEntry(entry, () => storage.sites.update(id, fields, version))
      if (updated.outcome !== 'stored') {
        throw updated.outcome === 'missing' ? notFound() : changedMeanwhile('this website')
      }
      await learn()
      return toSite(updated.site)
    },

    /** Deletes a site for good. Its conversations stay. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const entry = auditEntry(admin, 'site.deleted', { target: id, details: { name: known?.get(id)?.name } })
      if (!(await withEntry(entry, () => storage.sites.remove(id)))) throw notFound()
      await learn()
    },

    /**
     * Adds a secret; this answer alone has its text. Throws an AppError `conflict` if there are already
     * SITE_SECRETS_MAX.
     */
    async addSecret(admin: AdminCaller, id: string): Promise<NewSecret> {
      const { text, record } = newSecret(seal, id, now())
      const entry = auditEntry(admin, 'site-secret.created', { target: id })
      const added = await withEntry(entry, () => storage.sites.addSecret(id, record, SITE_SECRETS_MAX))
      if (added === 'missing') throw notFound()
      if (added === 'full') {
        const message = `A website can have up to ${SITE_SECRETS_MAX} secrets. Delete one that you no longer use.`
        throw new AppError('conflict', message)
      }
      await learn()
      return { secret: text, _id: record._id }
    },

    async removeSecret(admin: AdminCaller, id: string, secretId: string): Promise<void> {
      const entry = auditEntry(admin, 'site-secret.deleted', { target: id })
      if (!(await withEntry(entry, () => storage.sites.removeSecret(id, secretId)))) {
        throw new AppError('not-found', 'Secret not found.')
      }
      await learn()
    },

    find,

    /** Returns what `find` does, but throws an AppError `not-found` for an unknown or disabled site. */
    async mustBeEnabled(siteId: string): Promise<KnownSite> {
      const site = await find(siteId)
      if (!site?.enabled) throw new AppError('not-found', 'This chat is turned off.')
      return site
    },

    /** Returns the secrets that this server can read; empty for an unknown site. */
    async secretsOf(siteId: string): Promise<OpenSecret[]> {
      const site = await recordOf(siteId)
      return site === undefined ? [] : openSecrets(seal, siteId, site.secrets)
    },

    /** Notes, at most once a minute, that the secret verified a token. */
    async secretUsed(siteId: string, { _id, lastUsedAt, resealed }: OpenSecret): Promise<void> {
      const at = now()
      if (resealed === null && lastUsedAt !== null && at - lastUsedAt < USED_EVERY_MS) return
      const sealed = resealed === null ? {} : { sealed: resealed }
      await storage.sites.changeSecret(siteId, _id, { lastUsedAt: at, ...sealed })
    },
  }
}

export type Sites = ReturnType<typeof createSites>

const noValue = () => {}

const NO_GREETING: Localized = { en: '', zh: '' }

function lookColumns({ color, side, offset, label }: SiteLook) {
  const { en: labelEn, zh: labelZh, ...otherLabels } = label
  return { color, side, offsetX: offset.x, offsetY: offset.y, labelEn, labelZh, otherLabels }
}

function greetingColumns({ en: greetingEn, zh: greetingZh, ...otherGreetings }: Localized) {
  return { greetingEn, greetingZh, otherGreetings }
}

function knownSite(site: SiteRecord): KnownSite {
  const { _id, name, displayName, greetingEn, greetingZh, otherGreetings, origins, enabled } = site
  const { color, side, offsetX, offsetY, labelEn, labelZh, otherLabels } = site
  return {
    ...{
      _id,
      name,
      displayName,
      greeting: { en: greetingEn, zh: greetingZh, ...otherGreetings },
      origins: [...origins],
      enabled,
    },
    look: {
      ...{ color, side, offset: { x: offsetX, y: offsetY } },
      label: { en: labelEn, zh: labelZh, ...otherLabels },
    },
  }
}

function toSite(site: SiteRecord): Site {
  const at = (time: number) => new Date(time).toISOString()
  return {
    ...knownSite(site),
    version: site.version,
    secrets: site.secrets.map((secret) => ({
      _id: secret._id,
      createdAt: at(secret.createdAt),
      lastUsedAt: secret.lastUsedAt === null ? null : at(secret.lastUsedAt),
    })),
  }
}

function notFound(): AppError {
  return new AppError('not-found', 'Website not found.')
}
