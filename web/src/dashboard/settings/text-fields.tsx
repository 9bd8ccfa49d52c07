import { Plus, X } from 'virtual:icons'
import { trimmed } from '@proctorpass/shared/fields/text'
import { hoursState, isTimeZone } from '@proctorpass/shared/hours'
import type { Hours, Localized } from '@proctorpass/shared/schemas/settings'
import { useEffect, useMemo, useRef } from 'react'
import { backText } from '../../chat/language/back-text.ts?settings'
import { Icon } from '../../components/icon.tsx'
import { serverNow } from '../../lib/server-clock.ts'
import { Field } from '../ui/field.tsx'
import { Group } from '../ui/group.tsx'
import { InLanguages, TextInLanguages } from '../ui/in-languages.tsx'
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
        <TextInLanguages
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
  const { values, errorOf } = fields
  const isReplyWrong = (language: string) =>
    values.quickReplies[language]?.some((_, index) => errorOf(`quickReplies/${language}/${index}`)) ?? false
  return (
    <Group {...GREETING}>
      <div className="card">
        <TextInLanguages
          {...fields}
          field="greeting"
          label="Greeting"
          languages={values.languages}
          texts={values.greeting}
          onChange={(greeting) => fields.change({ greeting })}
        />
        <InLanguages languages={values.languages} isWrong={isReplyWrong}>
          {(each) => <QuickReplies key={each.language} {...fields} {...each} />}
        </InLanguages>
      </div>
    </Group>
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
