import { hoursState, isTimeZone } from '@proctorpass/shared/hours'
import type { Hours } from '@proctorpass/shared/schemas/settings'
import { useMemo } from 'react'
import { serverNow } from '../../lib/server-clock.ts'
import { Field } from '../ui/field.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const LANGUAGES = [
  { language: 'en', name: 'English' },
  { language: 'zh', name: 'Chinese' },
] as const
const QUICK_REPLIES_MAX = 5

export function AwayFields(fields: SettingsFields) {
  const { hours, away } = fields.values
  const opensAt = useMemo(() => opensAfterClosing(hours), [hours])
  return (
    <section aria-labelledby="away-heading">
      <h2 id="away-heading">While you're closed</h2>
      <TextPair {...fields} field="away" label="Away message" />
      <div className="settings-pair">
        {LANGUAGES.map(({ language, name }) => (
          <figure key={language} className="settings-preview">
            <figcaption>Preview in {name}</figcaption>
            {hours === null ? (
              <p>You're always open, so visitors don't see this.</p>
            ) : (
              <div lang={language} dir="auto">
                <p className="long-text">{away[language].trim() || away.en.trim()}</p>
                <p>{backText(opensAt, language)}</p>
              </div>
            )}
          </figure>
        ))}
      </div>
    </section>
  )
}

export function GreetingFields(fields: SettingsFields) {
  return (
    <section aria-labelledby="greeting-heading">
      <h2 id="greeting-heading">When the chat opens</h2>
      <TextPair {...fields} field="greeting" label="Greeting" />
      <div className="settings-pair">
        {LANGUAGES.map((each) => (
          <QuickReplies key={each.language} {...fields} {...each} />
        ))}
      </div>
    </section>
  )
}

interface TextPairProps extends SettingsFields {
  field: 'away' | 'greeting' | 'filesNotice'
  label: string
}

/** A text in both languages. */
export function TextPair({ field, label, values, change, errorOf }: TextPairProps) {
  const texts = values[field]
  return (
    <div className="settings-pair">
      {LANGUAGES.map(({ language, name }) => (
        <Field
          key={language}
          label={`${label} in ${name}`}
          error={errorOf(`${field}/${language}`)}
          {...(language === 'zh' ? { hint: 'Empty: the English text is shown.' } : {})}
        >
          {(shared) => (
            <textarea
              {...shared}
              lang={language}
              dir="auto"
              rows={3}
              value={texts[language]}
              onChange={(event) => change({ [field]: { ...texts, [language]: event.target.value } })}
            />
          )}
        </Field>
      ))}
    </div>
  )
}

interface QuickRepliesProps extends SettingsFields {
  language: 'en' | 'zh'
  name: string
}

function QuickReplies({ language, name, values, change, errorOf }: QuickRepliesProps) {
  const replies = values.quickReplies[language]
  const set = (own: string[]) => change({ quickReplies: { ...values.quickReplies, [language]: own } })
  return (
    <fieldset className="settings-replies">
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
                className="link-button"
                onClick={() => set(replies.filter((_, other) => other !== index))}
              >
                Remove{' '}
                <span className="visually-hidden">
                  quick reply {index + 1} in {name}
                </span>
              </button>
            </span>
          )}
        </Field>
      ))}
      {replies.length < QUICK_REPLIES_MAX && (
        <button type="button" className="link-button" onClick={() => set([...replies, ''])}>
          Add quick reply <span className="visually-hidden">in {name}</span>
        </button>
      )}
    </fieldset>
  )
}

const HALF_HOUR_MS = 30 * 60 * 1_000
const LOOKS = 8 * 48

/** When it opens next, after the present hours have ended; null when it never closes or never opens. */
function opensAfterClosing(hours: Hours | null): number | null {
  if (hours === null || !isTimeZone(hours.timeZone)) return null
  let at = serverNow()
  for (let look = 0; look < LOOKS; look += 1) {
    const { open, opensAt } = hoursState(hours, at)
    if (!open) return opensAt
    at += HALF_HOUR_MS
  }
  return null
}

/** As the chat shows it, with the time of this browser instead of the visitor's. */
function backText(opensAt: number | null, language: 'en' | 'zh'): string {
  if (opensAt === null) return ''
  const at = new Date(opensAt)
  const day = at.toLocaleDateString(language, { weekday: 'long' })
  const time = at.toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' })
  return language === 'en'
    ? `We're away. Back ${day} at ${time} your time.`
    : `我们现在不在。${day} ${time}（您的当地时间）回来。`
}
