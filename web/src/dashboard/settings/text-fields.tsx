import { Plus, X } from 'virtual:icons'
import { trimmed } from '@proctorpass/shared/fields/text'
import { hoursState, isTimeZone } from '@proctorpass/shared/hours'
import type { Hours, Localized } from '@proctorpass/shared/schemas/settings'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { backText } from '../../chat/language/back-text.ts?settings'
import { Icon } from '../../components/icon.tsx'
import { serverNow } from '../../lib/server-clock.ts'
import { Field } from '../ui/field.tsx'
import { Group } from '../ui/group.tsx'
import { englishName } from '../ui/language-names.ts'
import { useAwayWords } from './away-words.ts'
import type { SettingsFields } from './use-settings-form.ts'

const QUICK_REPLIES_MAX = 5

export const AWAY = { id: 'away', title: "While you're closed" }
export const GREETING = { id: 'greeting', title: 'When the chat opens' }

export function AwayFields(fields: SettingsFields) {
  const { hours, away } = fields.values
  const times = useMemo(() => nextClosed(hours), [hours])
  return (
    <Group {...AWAY}>
      <div className="card">
        <TextPair
          {...fields}
          field="away"
          label="Away message"
          languages={fields.values.languages}
          texts={away}
          onChange={(texts) => fields.change({ away: texts })}
        />
        {hours === null ? (
          <p className="field-hint">You're always open, so visitors don't see this.</p>
        ) : (
          <InLanguages languages={fields.values.languages}>
            {(each) => <AwayPreview key={each.language} {...each} away={away} times={times} />}
          </InLanguages>
        )}
      </div>
    </Group>
  )
}

interface AwayPreviewProps {
  language: string
  name: string
  away: Localized
  times: ReturnType<typeof nextClosed>
}

function AwayPreview({ language, name, away, times }: AwayPreviewProps) {
  const words = useAwayWords(language)
  return (
    <figure className="settings-preview">
      <figcaption>Preview in {name}</figcaption>
      <div lang={language} dir="auto">
        <p className="long-text">{trimmed(away[language] ?? '') || trimmed(away.en)}</p>
        <p>
          {times === null || words === undefined
            ? words?.away
            : backText(times.opensAt, { now: times.closesAt, words, locale: language })}
        </p>
      </div>
    </figure>
  )
}

export function GreetingFields(fields: SettingsFields) {
  return (
    <Group {...GREETING}>
      <div className="card">
        <TextPair
          {...fields}
          field="greeting"
          label="Greeting"
          languages={fields.values.languages}
          texts={fields.values.greeting}
          onChange={(greeting) => fields.change({ greeting })}
        />
        <InLanguages languages={fields.values.languages}>
          {(each) => <QuickReplies key={each.language} {...fields} {...each} />}
        </InLanguages>
      </div>
    </Group>
  )
}

interface TextPairProps extends Pick<SettingsFields, 'errorOf'> {
  label: string
  /** The tags of the languages in which visitors can read the text. */
  languages: readonly string[]
  texts: Localized
  /** The field's name in the server's errors. */
  field: string
  hint?: string
  rows?: number
  onChange: (texts: Localized) => void
}

interface InLanguagesProps {
  languages: readonly string[]
  children: (language: { language: string; name: string }) => ReactNode
}

/** Shows something in each language: English, then one beside it, and the others on demand. */
function InLanguages({ languages, children }: InLanguagesProps) {
  const others = languages.filter((tag) => tag !== 'en' && tag !== 'zh')
  const [second, ...more] = languages.includes('zh') ? ['zh', ...others] : others
  const show = (tag: string) => children({ language: tag, name: englishName(tag) })
  return (
    <>
      <div className="settings-pair">
        {show('en')}
        {second !== undefined && show(second)}
      </div>
      {more.length > 0 && (
        <details className="settings-more">
          <summary>In other languages ({more.length})</summary>
          <div className="settings-pair">{more.map(show)}</div>
        </details>
      )}
    </>
  )
}

/** Edits a text in each language. */
export function TextPair({
  label,
  languages,
  texts,
  field,
  hint,
  rows = 3,
  errorOf,
  onChange,
}: TextPairProps) {
  return (
    <InLanguages languages={languages}>
      {({ language, name }) => (
        <Field
          key={language}
          label={`${label} in ${name}`}
          error={errorOf(`${field}/${language}`)}
          hint={language === 'en' ? hint : 'Leave blank to use the English text.'}
        >
          {(shared) => (
            <textarea
              {...shared}
              lang={language}
              dir="auto"
              rows={rows}
              value={texts[language] ?? ''}
              onChange={(event) => onChange({ ...texts, [language]: event.target.value })}
            />
          )}
        </Field>
      )}
    </InLanguages>
  )
}

interface QuickRepliesProps extends SettingsFields {
  language: string
  name: string
}

function QuickReplies({ language, name, values, change, errorOf }: QuickRepliesProps) {
  const replies = values.quickReplies[language] ?? []
  const set = (own: string[]) => change({ quickReplies: { ...values.quickReplies, [language]: own } })
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const wasAdded = useRef(false)
  useEffect(() => {
    if (!wasAdded.current) return
    wasAdded.current = false
    const fields = fieldset.current?.querySelectorAll('input')
    fields?.[replies.length - 1]?.focus()
  }, [replies.length])
  return (
    <fieldset className="settings-replies" ref={fieldset}>
      <legend>Quick replies in {name}</legend>
      {replies.map((reply, index) => (
        <Field
          key={index}
          label={`Quick reply ${index + 1}`}
          error={errorOf(`quickReplies/${language}/${index}`)}
        >
          {(shared) => (
            <span className="settings-add">
              <input
                {...shared}
                type="text"
                lang={language}
                dir="auto"
                autoComplete="off"
                value={reply}
                onChange={(event) => set(replies.with(index, event.target.value))}
              />
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove quick reply ${index + 1} in ${name}`}
                onClick={() => set(replies.filter((_, other) => other !== index))}
              >
                <Icon of={X} />
              </button>
            </span>
          )}
        </Field>
      ))}
      {replies.length < QUICK_REPLIES_MAX && (
        <button
          type="button"
          className="button button-quiet button-s"
          onClick={() => {
            wasAdded.current = true
            set([...replies, ''])
          }}
        >
          <Icon of={Plus} />
          Add quick reply <span className="visually-hidden">in {name}</span>
        </button>
      )}
    </fieldset>
  )
}

const HALF_HOUR_MS = 30 * 60 * 1_000
const LOOKS = 8 * 48

/** Returns when the business closes next and opens after that. Null if it never closes or never opens. */
function nextClosed(hours: Hours | null): { closesAt: number; opensAt: number } | null {
  if (hours === null || !isTimeZone(hours.timeZone)) return null
  let at = serverNow()
  for (let look = 0; look < LOOKS; look += 1) {
    const { open, opensAt } = hoursState(hours, at)
    if (!open) return opensAt === null ? null : { closesAt: at, opensAt }
    at += HALF_HOUR_MS
  }
  return null
}
