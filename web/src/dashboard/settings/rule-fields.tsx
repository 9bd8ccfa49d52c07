import type { PreChat } from '@proctorpass/shared/schemas/settings'
import { Field } from '../ui/field.tsx'
import { Group } from '../ui/group.tsx'
import { TextInLanguages } from '../ui/in-languages.tsx'
import { NEEDS_MAIL } from '../ui/live-config.ts'
import { Switch } from '../ui/switch.tsx'
import type { SettingsFields } from './use-settings-form.ts'

export const PRE_CHAT = { id: 'pre-chat', title: 'Questions before the chat' }
export const FILES = { id: 'files', title: 'Files' }
export const RATING = { id: 'rating', title: 'Rating' }
export const SUGGESTIONS = { id: 'suggestions', title: 'Suggestions' }
export const SHOWN_TEAM = { id: 'shown-team', title: 'Who answers' }
export const ESCALATION = { id: 'escalation', title: 'Unread messages' }
export const RETENTION = { id: 'retention', title: 'How long conversations are kept' }
export const SECOND_FACTOR = { id: 'second-factor', title: 'Second factor' }

const PRE_CHAT_LABELS: Record<keyof PreChat, string> = {
  name: 'Name',
  email: 'Email',
  examAt: 'Exam time',
}
const PRE_CHAT_FIELDS = Object.keys(PRE_CHAT_LABELS) as (keyof PreChat)[]
const ASK_LABELS: Record<PreChat['name'], string> = {
  off: "Don't ask",
  optional: 'Optional',
  required: 'Required',
}

/** Says why a switch cannot be turned on. If it is on, it can still be turned off. */

export function PreChatFields({ values: { preChat }, change, errorOf, hasMail }: SettingsFields) {
  const mailHint = hasMail ? {} : { hint: `You can't require it yet. ${NEEDS_MAIL}` }
  return (
    <Group {...PRE_CHAT} note="Visitors answer them before their first message.">
      <div className="card">
        <div className="settings-pre-chat">
          {PRE_CHAT_FIELDS.map((name) => (
            <Field
              key={name}
              label={PRE_CHAT_LABELS[name]}
              error={errorOf(`preChat/${name}`)}
              {...(name === 'email' ? mailHint : {})}
            >
              {(shared) => (
                <select
                  {...shared}
                  value={preChat[name]}
                  onChange={(event) =>
                    change({ preChat: { ...preChat, [name]: event.target.value as PreChat['name'] } })
                  }
                >
                  {Object.entries(ASK_LABELS).map(([value, label]) => (
                    <option
                      key={value}
                      value={value}
                      disabled={
                        name === 'email' && value === 'required' && value !== preChat.email && !hasMail
                      }
                    >
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ))}
        </div>
      </div>
    </Group>
  )
}

export function FileFields(fields: SettingsFields) {
  const { values, change } = fields
  return (
    <Group {...FILES}>
      <div className="card">
        <Switch
          label="Visitors can send files"
          checked={values.files}
          onChange={(files) => change({ files })}
        />
        {values.files && (
          <TextInLanguages
            {...fields}
            field="filesNotice"
            label="Notice before the first file"
            languages={values.languages}
            texts={values.filesNotice}
            onChange={(filesNotice) => change({ filesNotice })}
          />
        )}
      </div>
    </Group>
  )
}

export function RatingField({ values, change }: SettingsFields) {
  return (
    <Group {...RATING}>
      <div className="card">
        <Switch
          label="Ask visitors for a rating once their conversation is resolved"
          checked={values.rating}
          onChange={(rating) => change({ rating })}
        />
      </div>
    </Group>
  )
}

export function SuggestionsField({ values, change }: SettingsFields) {
  return (
    <Group {...SUGGESTIONS}>
      <div className="card">
        <Switch
          label="Suggest pages while visitors type"
          checked={values.suggestions}
          onChange={(suggestions) => change({ suggestions })}
        />
      </div>
    </Group>
  )
}

export function ShownTeamField({ values, change }: SettingsFields) {
  return (
    <Group {...SHOWN_TEAM}>
      <div className="card">
        <Switch
          label="Show the team"
          hint="The chat's head then shows up to three admins on duty, with their display name and picture. Admins without a display name aren't shown."
          checked={values.showTeam}
          onChange={(showTeam) => change({ showTeam })}
        />
      </div>
    </Group>
  )
}

export function EscalationFields({ values, change, errorOf, hasMail }: SettingsFields) {
  const { escalation } = values
  const isMailed = escalation.thenMailMinutes !== null
  const set = (part: Partial<typeof escalation>) => change({ escalation: { ...escalation, ...part } })
  return (
    <Group {...ESCALATION}>
      <div className="card">
        <NumberField
          label="Seconds before the other admins on duty are notified"
          value={escalation.afterSeconds}
          error={errorOf('escalation/afterSeconds')}
          onChange={(afterSeconds) => set({ afterSeconds })}
        />
        <Switch
          label="Then send them an email"
          hint={hasMail ? undefined : NEEDS_MAIL}
          checked={isMailed}
          disabled={!hasMail && !isMailed}
          onChange={(isOn) => set({ thenMailMinutes: isOn ? 10 : null })}
        />
        {escalation.thenMailMinutes !== null && (
          <NumberField
            label="Minutes from the message to the email"
            value={escalation.thenMailMinutes}
            error={errorOf('escalation/thenMailMinutes')}
            onChange={(thenMailMinutes) => set({ thenMailMinutes })}
          />
        )}
      </div>
    </Group>
  )
}

export function RetentionFields({ values: { retentionDays }, change, errorOf }: SettingsFields) {
  return (
    <Group {...RETENTION}>
      <div className="card">
        <Switch
          label="Erase old conversations"
          checked={retentionDays !== null}
          onChange={(isOn) => change({ retentionDays: isOn ? 365 : null })}
        />
        {retentionDays !== null && (
          <NumberField
            label="Days after the newest message"
            hint="The entire conversation is erased permanently. Backups contain it until you delete them."
            value={retentionDays}
            error={errorOf('retentionDays')}
            onChange={(days) => change({ retentionDays: days })}
          />
        )}
      </div>
    </Group>
  )
}

interface NumberFieldProps {
  label: string
  hint?: string
  value: number
  error: string | undefined
  onChange: (value: number) => void
}

export function NumberField({ label, hint, value, error, onChange }: NumberFieldProps) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(shared) => (
        <input
          {...shared}
          type="number"
          inputMode="numeric"
          value={Number.isNaN(value) ? '' : (value ?? '')}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
      )}
    </Field>
  )
}

export function SecondFactorField({ values: { secondFactor }, change, errorOf }: SettingsFields) {
  return (
    <Group {...SECOND_FACTOR}>
      <div className="card">
        <Field
          label="To sign in, admins need"
          hint="Admins without one must set it up before they can do anything else."
          error={errorOf('secondFactor')}
        >
          {(shared) => (
            <select
              {...shared}
              value={secondFactor}
              onChange={(event) => change({ secondFactor: event.target.value as typeof secondFactor })}
            >
              <option value="optional">A password (a second factor is optional)</option>
              <option value="required">A passkey, or a password and a second factor</option>
            </select>
          )}
        </Field>
      </div>
    </Group>
  )
}
