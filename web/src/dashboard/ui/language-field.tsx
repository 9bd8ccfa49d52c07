import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import { useQuery } from '@tanstack/react-query'
import { Field } from './field.tsx'
import { englishName } from './language-names.ts'
import { liveConfigQuery } from './live-config.ts'

const ENGLISH_ONLY: readonly string[] = ['en']

/** Returns the tags of the languages that are switched on. */
export function useLanguages(): readonly string[] {
  const { data } = useQuery(liveConfigQuery)
  // While a cluster is upgraded, a node may still run the release that has no list.
  return (data as Partial<LiveConfig> | undefined)?.languages?.tags ?? ENGLISH_ONLY
}

interface LanguageFieldProps {
  lang: string
  error?: string | undefined
  onChange: (lang: string) => void
}

/** Chooses among the languages that are switched on. */
export function LanguageField({ lang, error, onChange }: LanguageFieldProps) {
  const on = useLanguages()
  const tags = on.includes(lang) ? on : [...on, lang]
  return (
    <Field label="Language" error={error}>
      {(shared) => (
        <select {...shared} value={lang} onChange={(event) => onChange(event.target.value)}>
          {tags.map((tag) => (
            <option key={tag} value={tag}>
              {englishName(tag)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
