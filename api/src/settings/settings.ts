import { AppError, changedMeanwhile, type ErrorDetail, fieldErrors } from '@proctorpass/shared/errors'
import { cleanSettings, settingsProblems, writtenLanguages } from '@proctorpass/shared/fields/settings'
import {
  DEFAULT_SETTINGS,
  type Settings,
  type SettingsChange,
  SettingsSchema,
} from '@proctorpass/shared/schemas/settings'
import { Compile } from 'typebox/compile'
import { auditEntry } from '../audit/entry.ts'
import { type AdminCaller, confirmRequired } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { StoredDocument } from '../storage/model/documents.ts'
import { type HoursPeriod, hoursPeriods } from '../storage/model/reports/report-parts.ts'
import type { Storage } from '../storage/model/storage.ts'
import { hasFactor } from '../storage/model/users.ts'
import { cachedRead } from './cached-read.ts'

const DOCUMENT = 'settings'
/** Changing these needs a confirmed session, because they decide what is erased and how admins sign in. */
const CONFIRMED_FIELDS = ['retentionDays', 'secondFactor'] as const
/** Characters of JSON. With the history of opening hours, a document has room for them. */
const SETTINGS_JSON_MAX = 512 * 1_024
/** How long a read of the store counts as current. */
const CURRENT_MS = 1_000

interface SettingsDeps {
  storage: Pick<Storage, 'documents' | 'users'>
  /** Whether mail is set up. */
  mail: boolean
  /** Whether the widget has words in this language. */
  isKnownLanguage?: (tag: string) => boolean
  now?: () => number
}

/** The use cases for what admins change while the server runs. */
export function createSettings({
  storage,
  mail,
  isKnownLanguage = () => true,
  now = Date.now,
}: SettingsDeps) {
  const listeners: ((settings: Settings) => void)[] = []
  let known = DEFAULT_SETTINGS

  /** Remembers settings unless newer ones are known: a read that began before a change may end after it. */
  function learn(settings: Settings): void {
    const isNewer = settings.version > known.version
    if (settings.version >= known.version) known = settings
    if (isNewer) for (const listener of listeners) listener(settings)
  }

  async function readStored(): Promise<Settings> {
    const settings = fromStored(await storage.documents.read<unknown>(DOCUMENT))
    learn(settings)
    return settings
  }

  const refresh = cachedRead(async () => {
    // While the store is away, the last known settings are used.
    await readStored().catch(() => {})
  }, CURRENT_MS)

  return {
    /**
     * Call this before the first request: a process that has read nothing yet would refuse calls by the defaults. Never
     * rejects.
     */
    async load(): Promise<void> {
      // If the store is away now, `current` reads it later.
      await readStored().catch(() => {})
    },

    /** Reads the settings from the store. */
    read: (_admin: AdminCaller): Promise<Settings> => readStored(),

    /**
     * Replaces all settings. Throws an AppError `invalid-input` with a detail for each wrong field, `conflict` with a
     * detail for `version` if another version is stored, and `confirm-required` for a change to CONFIRMED_FIELDS.
     */
    async replace(admin: AdminCaller, input: SettingsChange): Promise<Settings> {
      const document = await storage.documents.read<unknown>(DOCUMENT)
      const stored = fromStored(document)
      const { showTeam = stored.showTeam, languages = stored.languages } = input
      // Texts in a language whose file is gone for a while stay.
      const written = writtenLanguages(stored)
      const isKept = (tag: string) => isKnownLanguage(tag) || written.has(tag)
      const { version, ...value } = cleanSettings({ ...input, showTeam, languages }, isKept)
      if (JSON.stringify(value).length > SETTINGS_JSON_MAX) {
        throw new AppError('too-large', 'The texts of all languages together are too long. Shorten some.')
      }
      const details = settingsProblems({ version, ...value })
      for (const [index, tag] of input.languages?.entries() ?? []) {
        // A language whose file is gone for a while can stay.
        if (isKnownLanguage(tag) || stored.languages.includes(tag)) continue
        details.push({ field: `languages/${index}`, message: `There is no language file for ${tag}` })
      }
      if (!mail) details.push(...mailProblems(value, stored))
      if (value.secondFactor === 'required' && stored.secondFactor === 'optional') {
        const user = await storage.users.findById(admin.userId)
        // The admin needs a factor of their own, so that at least one admin gets in.
        if (user === null || !hasFactor(user)) details.push(OWN_FACTOR_FIRST)
      }
      if (details.length > 0) throw fieldErrors(details)
      const changes = changesOf(stored, value)
      if (!admin.isConfirmed && CONFIRMED_FIELDS.some((field) => field in changes)) throw confirmRequired()
      const hoursHistory = withHours(hoursPeriods(document?.value), value.hours, now())
      const entry = auditEntry(admin, 'settings.changed', { details: changes })
      const isWritten = await withEntry(entry, () =>
        storage.documents.write(DOCUMENT, { ...value, hoursHistory }, version),
      )
      if (!isWritten) throw changedMeanwhile('the settings')
      const settings = { version: version + 1, ...value }
      learn(settings)
      return settings
    },

    /**
     * Returns the settings, and is cheap enough for every request. It knows this node's changes at once, and other
     * nodes' changes about a second later. Never rejects, and waits at most a second for the store. While the store is
     * away, returns the last known settings, or the defaults.
     */
    async current(): Promise<Settings> {
      await refresh()
      return known
    },

    /**
     * The listener is called when this node learns of a change: of its own at once, and of another node's with the next
     * read.
     */
    onChanged(listener: (settings: Settings) => void): void {
      listeners.push(listener)
    },
  }
}

export type SettingsUseCases = ReturnType<typeof createSettings>

/** Characters of JSON that the history of opening hours may take: about 15 long entries, or hundreds of usual ones. */
const HISTORY_MAX = 128 * 1_024

/**
 * Returns the history of opening hours after a change. Each entry says since when its hours were in force; the oldest
 * entries are dropped.
 */
function withHours(periods: HoursPeriod[], hours: Settings['hours'], at: number): HoursPeriod[] {
  if (JSON.stringify(periods.at(-1)?.hours) === JSON.stringify(hours)) return periods
  const history = [...periods, { since: at, hours }]
  while (JSON.stringify(history).length > HISTORY_MAX) history.shift()
  return history
}

const OWN_FACTOR_FIRST: ErrorDetail = {
  field: 'secondFactor',
  message: 'First, set up your own second factor under Account',
}

const check = Compile(SettingsSchema)

/**
 * Reads stored settings. Fields that an older release did not have get their defaults, and settings that no release has
 * written are not used.
 */
function fromStored(stored: StoredDocument<unknown> | null): Settings {
  if (stored === null) return DEFAULT_SETTINGS
  const { version, value } = stored
  const settings = { ...DEFAULT_SETTINGS, ...(value as object | null), version }
  if (!check.Check(settings)) return { ...DEFAULT_SETTINGS, version }
  const cleaned = cleanSettings(settings)
  return settingsProblems(cleaned).length === 0 ? cleaned : { ...DEFAULT_SETTINGS, version }
}

const MAIL_IS_OFF = 'Email is not set up on this server: set SMTP_URL and MAIL_FROM first'

/**
 * Returns problems with settings that need mail, except stored ones, so that settings can be saved while the mail
 * server is removed for a while.
 */
function mailProblems(
  { preChat, escalation }: Pick<Settings, 'preChat' | 'escalation'>,
  stored: Settings,
): ErrorDetail[] {
  const fields = []
  if (escalation.thenMailMinutes !== null && stored.escalation.thenMailMinutes === null) {
    fields.push('escalation/thenMailMinutes')
  }
  if (preChat.email === 'required' && stored.preChat.email !== 'required') fields.push('preChat/email')
  return fields.map((field) => ({ field, message: MAIL_IS_OFF }))
}

/** Characters of JSON up to which the audit log has a field's values. */
const AUDITED_VALUE_MAX = 400

/** Returns what the audit log gets: the fields that differ, with both values if they are short. */
function changesOf(before: Settings, after: Omit<Settings, 'version'>): Record<string, unknown> {
  const names = Object.keys(after) as (keyof typeof after)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(
    changed.map((name) => {
      const change = { from: before[name], to: after[name] }
      return [name, JSON.stringify(change).length > AUDITED_VALUE_MAX ? {} : change]
    }),
  )
}
