import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ErrorDetail } from '@proctorpass/shared/errors'
import { cleanSettings, settingsProblems } from '@proctorpass/shared/fields/settings'
import { CARD_SECONDS_MAX } from '@proctorpass/shared/limits'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQueryClient } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'

export const SETTINGS = ['settings']

export type SettingsValues = Omit<Settings, 'version'>

/** What the form's parts read and change. An empty number is NaN. */
export interface SettingsFields {
  values: SettingsValues
  change: (part: Partial<SettingsValues>) => void
  /** Returns a field's error. `field` is the server's name for it. */
  errorOf: (field: string) => string | undefined
  /** Whether the server sends mail. */
  hasMail: boolean
}

/** Returns the form's state. `saved` are the settings with which the form began. */
export function useSettingsForm(stored: Settings, hasMail: boolean) {
  const queryClient = useQueryClient()
  const admin = useAdminForm<SettingsValues, Settings>({
    defaultValues: valuesOf(stored),
    problems: problemsOf,
    draftKey: 'draft:settings',
    stored: {
      version: stored.version,
      read: () =>
        queryClient.fetchQuery({
          queryKey: SETTINGS,
          queryFn: () => callAsAdmin<Settings>(adminPaths.settings),
          staleTime: 0,
        }),
      valuesOf,
    },
    asksFirst: ({ retentionDays }) => isShorter(saved.retentionDays, retentionDays),
    async send(values, version) {
      const body = cleanSettings({ ...values, version })
      const now = await callAsAdmin<Settings>(adminPaths.settings, { method: 'PUT', body })
      queryClient.setQueryData(SETTINGS, now)
      admin.restart(valuesOf(now), now.version)
      admin.unsaved.current = false
      return 'Settings saved'
    },
  })
  const { form } = admin
  const { defaultValues, isSubmitted } = form.formState
  const saved = defaultValues as SettingsValues
  const fields: SettingsFields = {
    values: form.watch(),
    hasMail,
    change(part) {
      for (const name of Object.keys(part) as (keyof SettingsValues)[]) {
        form.setValue(name, part[name] as never, { shouldDirty: true })
      }
      if (isSubmitted) void form.trigger()
    },
    errorOf: (field) => admin.errorOf(field.replaceAll('/', '.')),
  }
  return { admin, fields, saved }
}

function valuesOf({ version: _, ...values }: Settings): SettingsValues {
  return values
}

function isShorter(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before)
}

function problemsOf(values: SettingsValues): ErrorDetail[] {
  const { retentionDays, escalation, cards } = values
  const details = settingsProblems(cleanSettings({ ...values, version: 0 }))
  const inRange = (field: string, value: number, [min, max]: [number, number], what: string) => {
    if (Number.isInteger(value) && value >= min && value <= max) return
    const [from, to] = [min.toLocaleString('en'), max.toLocaleString('en')]
    details.push({ field, message: `Enter ${from} to ${to} ${what}` })
  }
  if (retentionDays !== null) inRange('retentionDays', retentionDays, [30, 3_650], 'days')
  inRange('escalation/afterSeconds', escalation.afterSeconds, [15, 3_600], 'seconds')
  if (escalation.thenMailMinutes !== null) {
    inRange('escalation/thenMailMinutes', escalation.thenMailMinutes, [1, 1_440], 'minutes')
  }
  for (const [index, { afterSeconds }] of cards.entries()) {
    inRange(`cards/${index}/afterSeconds`, afterSeconds, [0, CARD_SECONDS_MAX], 'seconds')
  }
  return details
}
