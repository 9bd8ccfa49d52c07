import { type AppError, fieldError, fieldErrors } from '@proctorpass/shared/errors'
import { cleanSettings, settingsProblems } from '@proctorpass/shared/fields/settings'
import { DEFAULT_SETTINGS, type Settings, SettingsSchema } from '@proctorpass/shared/schemas/settings'
import { Compile } from 'typebox/compile'
import type { AdminCaller } from '../auth/caller.ts'
import type { StoredDocument } from '../storage/documents.ts'
import type { Storage } from '../storage/storage.ts'

const DOCUMENT = 'settings'
/** How long a read of the store counts as current. */
const CURRENT_MS = 1_000

/** What admins change while the server runs. */
export interface SettingsUseCases {
  /** As they are stored. */
  read(admin: AdminCaller): Promise<Settings>
  /**
   * Replaces all of them. Throws AppError `invalid-input` with a detail for each wrong field, and `conflict` with a
   * detail for `version` when another version is stored.
   */
  replace(admin: AdminCaller, settings: Settings): Promise<Settings>
  /**
   * Cheap, for every request. Has changes of this node at once, of others about a second later. Never rejects: while
   * the store is away, the last ones known, or the defaults.
   */
  current(): Promise<Settings>
  /** Called after each change on this node. */
  onChanged(listener: (settings: Settings) => void): void
}

export function createSettings({ storage }: { storage: Pick<Storage, 'documents'> }): SettingsUseCases {
  const listeners: ((settings: Settings) => void)[] = []
  let known = DEFAULT_SETTINGS
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  /** A read that began before a change may end after it. */
  function learn(settings: Settings): void {
    if (settings.version >= known.version) known = settings
  }

  async function readStored(): Promise<Settings> {
    const settings = fromStored(await storage.documents.read<unknown>(DOCUMENT))
    learn(settings)
    return settings
  }

  async function refresh(): Promise<void> {
    await readStored().catch(() => {})
    readAt = performance.now()
    reading = null
  }

  return {
    read: readStored,

    async replace(_admin, input) {
      const { version, ...value } = cleanSettings(input)
      const details = settingsProblems({ version, ...value })
      if (details.length > 0) throw fieldErrors(details)
      if (!(await storage.documents.write(DOCUMENT, value, version))) throw changedMeanwhile()
      const settings = { version: version + 1, ...value }
      learn(settings)
      for (const listener of listeners) listener(settings)
      return settings
    },

    async current() {
      if (performance.now() - readAt > CURRENT_MS) {
        reading ??= refresh()
        await reading
      }
      return known
    },

    onChanged(listener) {
      listeners.push(listener)
    },
  }
}

const check = Compile(SettingsSchema)

/** Fields that an older release did not have get their defaults. What no release has written is not used. */
function fromStored(stored: StoredDocument<unknown> | null): Settings {
  if (stored === null) return DEFAULT_SETTINGS
  const { version, value } = stored
  const settings = { ...DEFAULT_SETTINGS, ...(value as object | null), version }
  if (!check.Check(settings)) return { ...DEFAULT_SETTINGS, version }
  const cleaned = cleanSettings(settings)
  return settingsProblems(cleaned).length === 0 ? cleaned : { ...DEFAULT_SETTINGS, version }
}

function changedMeanwhile(): AppError {
  const message =
    "Someone else saved the settings while you were editing. Your changes aren't saved yet: compare both versions first."
  return fieldError('version', message, { code: 'conflict' })
}
