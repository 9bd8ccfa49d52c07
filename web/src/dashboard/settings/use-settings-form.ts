import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError, type ErrorDetail } from '@proctorpass/shared/errors'
import { cleanSettings, settingsProblems } from '@proctorpass/shared/fields/settings'
import { CARD_SECONDS_MAX } from '@proctorpass/shared/limits'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { useUnsaved } from '../ui/ask-before-leaving.tsx'
import { isVersionConflict } from '../ui/conflict.tsx'
import { readFormDraft, removeFormDraft, useFormDraft } from '../ui/form-draft.ts'

export const SETTINGS = ['settings']
const DRAFT = 'draft:settings'

/** What the parts of the form read and change. An empty number is NaN. */
export interface SettingsFields {
  values: Settings
  change: (part: Partial<Settings>) => void
  /** The error of a field, named as the server names it. */
  errorOf: (field: string) => string | undefined
  /** Whether the server sends mail. */
  hasMail: boolean
}

/** The form's values, its draft, and saving them. `values.version` is the version that is edited. */
export function useSettingsForm(stored: Settings, hasMail: boolean) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => readFormDraft<Settings>(DRAFT))
  const [saved, setSaved] = useState(stored)
  const [values, setValues] = useState<Settings>(() => ({ ...stored, ...draft }))
  const [refused, setRefused] = useState<ErrorDetail[]>([])
  /** How often saving was tried with wrong fields: each time the first one gets the focus. */
  const [attempts, setAttempts] = useState(0)
  const [isSaving, setSaving] = useState(false)
  /** What another admin saved meanwhile. */
  const [other, setOther] = useState<Settings | null>(null)
  const isDirty = textOf(values) !== textOf(saved)
  const unsaved = useUnsaved(isDirty)
  useFormDraft(DRAFT, isDirty ? values : null)
  // Nothing is lost by showing what another admin saved.
  if (!isDirty && stored.version > saved.version) replace(stored)

  function replace(settings: Settings): void {
    setSaved(settings)
    setValues(settings)
    setRefused([])
    setAttempts(0)
    setOther(null)
    setDraft(null)
  }

  const problems = attempts > 0 ? [...problemsOf(values), ...refused] : []

  async function save(): Promise<void> {
    setSaving(true)
    try {
      const now = await callAsAdmin<Settings>(adminPaths.settings, {
        method: 'PUT',
        body: cleanSettings(values),
      })
      queryClient.setQueryData(SETTINGS, now)
      removeFormDraft(DRAFT)
      unsaved.current = false
      replace(now)
      toast.success('Settings saved')
    } catch (error) {
      if (isVersionConflict(error)) setOther(await readAgain())
      else {
        setRefused(error instanceof AppError ? (error.details ?? []) : [])
        setAttempts(attempts + 1)
      }
      toast.error(errorMessage(error))
    } finally {
      setSaving(false)
    }
  }

  async function readAgain(): Promise<Settings | null> {
    const read = () => callAsAdmin<Settings>(adminPaths.settings)
    return queryClient.fetchQuery({ queryKey: SETTINGS, queryFn: read, staleTime: 0 }).catch(() => null)
  }

  return {
    fields: {
      values,
      hasMail,
      change(part) {
        setValues((before) => ({ ...before, ...part }))
        setRefused([])
      },
      errorOf: (wanted) => problems.find(({ field }) => field === wanted)?.message,
    } satisfies SettingsFields,
    saved,
    isDirty,
    unsaved,
    isSaving,
    attempts,
    save,
    /** Whether the values can be saved; shows the errors. */
    check(): boolean {
      if (problemsOf(values).length === 0) return true
      setAttempts(attempts + 1)
      return false
    },
    hasDraft: draft !== null && isDirty,
    discard: () => replace(stored),
    other,
    keepMine(): void {
      setValues({ ...values, version: other?.version ?? values.version })
      setOther(null)
    },
    takeOther: () => other && replace(other),
  }
}

function textOf({ version: _, ...values }: Settings): string {
  return JSON.stringify(values)
}

function problemsOf(values: Settings): ErrorDetail[] {
  const { retentionDays, escalation, cards } = values
  const details = settingsProblems(cleanSettings(values))
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
