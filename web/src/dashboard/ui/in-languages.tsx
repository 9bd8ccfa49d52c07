import type { Localized } from '@proctorpass/shared/schemas/settings'
import { type ReactNode, useEffect, useRef } from 'react'
import { Field } from './field.tsx'
import { englishName } from './language-names.ts'
import './in-languages.css'

interface InLanguagesProps {
  /** The tags of the languages in which visitors can read it. */
  languages: readonly string[]
  /** Whether something is wrong in this language. */
  isWrong?: (language: string) => boolean
  children: (language: { language: string; name: string }) => ReactNode
}

/** Shows something in each language: English, then one beside it, and the others on demand or if one of them is wrong. */
export function InLanguages({ languages, isWrong = () => false, children }: InLanguagesProps) {
  const others = languages.filter((tag) => tag !== 'en' && tag !== 'zh')
  const [second, ...more] = languages.includes('zh') ? ['zh', ...others] : others
  const show = (tag: string) => children({ language: tag, name: englishName(tag) })
  const details = useRef<HTMLDetailsElement>(null)
  const isOneWrong = more.some(isWrong)
  useEffect(() => {
    if (isOneWrong && details.current) details.current.open = true
  }, [isOneWrong])
  return (
    <>
      <div className="in-languages">
        {show('en')}
        {second !== undefined && show(second)}
      </div>
      {more.length > 0 && (
        <details ref={details} className="more-languages">
          <summary>In other languages ({more.length})</summary>
          <div className="in-languages">{more.map(show)}</div>
        </details>
      )}
    </>
  )
}

interface TextInLanguagesProps extends Pick<InLanguagesProps, 'languages'> {
  label: string
  texts: Localized
  /** The field's name in the server's errors. */
  field: string
  /** The hint below the English text. */
  hint?: string
  /** The number of lines. With null, the text is one line. */
  rows?: number | null
  maxLength?: number
  errorOf: (field: string) => string | undefined
  onChange: (texts: Localized) => void
}

/** Edits a text in each language. */
export function TextInLanguages({
  label,
  languages,
  texts,
  field,
  hint,
  rows = 3,
  maxLength,
  errorOf,
  onChange,
}: TextInLanguagesProps) {
  const errorIn = (language: string) => errorOf(`${field}/${language}`)
  return (
    <InLanguages languages={languages} isWrong={(language) => errorIn(language) !== undefined}>
      {({ language, name }) => (
        <Field
          key={language}
          label={`${label} in ${name}`}
          error={errorIn(language)}
          hint={language === 'en' ? hint : 'Leave blank to use the English text.'}
        >
          {(shared) => {
            const attributes = {
              ...shared,
              ...{ lang: language, dir: 'auto', maxLength, value: texts[language] ?? '' },
              onChange: ({ target }: { target: { value: string } }) =>
                onChange({ ...texts, [language]: target.value }),
            }
            return rows === null ? (
              <input {...attributes} type="text" autoComplete="off" />
            ) : (
              <textarea {...attributes} rows={rows} />
            )
          }}
        </Field>
      )}
    </InLanguages>
  )
}
