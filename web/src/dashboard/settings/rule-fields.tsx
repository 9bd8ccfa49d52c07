import type { PreChat } from '@proctorpass/shared/schemas/settings'
import { useId } from 'react'
import { Field } from '../ui/field.tsx'
import { TextPair } from './text-fields.tsx'
import type { SettingsFields } from './use-settings-form.ts'

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
const NEEDS_MAIL = "Email isn't set up on this server. Its operator needs to set SMTP_URL and MAIL_FROM."

export function PreChatFields({ values: { preChat }, change, errorOf, hasMail }: SettingsFields) {
  const mailHint = hasMail ? {} : { hint: `You can't require it yet. ${NEEDS_MAIL}` }
  return (
    <section aria-labelledby="pre-chat-heading">
      <h2 id="pre-chat-heading">Questions before the chat</h2>
      <p className="field-hint">Visitors answer them before their first message.</p>
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
                    disabled={name === 'email' && value === 'required' && value !== preChat.email && !hasMail}
                  >
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
    </section>
  )
}

export function FileFields(fields: SettingsFields) {
  const { values, change } = fields
  return (
    <section aria-labelledby="files-heading">
      <h2 id="files-heading">Files</h2>
      <Checkbox
        label="Visitors can send files"
        checked={values.files}
        onChange={(files) => change({ files })}
      />
      {values.files && (
        <TextPair
          {...fields}
          field="filesNotice"
          label="Notice before the first file"
          texts={values.filesNotice}
          onChange={(filesNotice) => change({ filesNotice })}
        />
      )}
    </section>
  )
}

export function RatingField({ values, change }: SettingsFields) {
  return (
    <section aria-labelledby="rating-heading">
      <h2 id="rating-heading">Rating</h2>
      <Checkbox
        label="Ask visitors for a rating once their conversation is resolved"
        checked={values.rating}
        onChange={(rating) => change({ rating })}
      />
    </section>
  )
}

export function SuggestionsField({ values, change }: SettingsFields) {
  return (
    <section aria-labelledby="suggestions-heading">
      <h2 id="suggestions-heading">Suggestions</h2>
      <Checkbox
        label="Suggest pages while visitors type"
        checked={values.suggestions}
        onChange={(suggestions) => change({ suggestions })}
      />
    </section>
  )
}

export function EscalationFields({ values, change, errorOf, hasMail }: SettingsFields) {
  const { escalation } = values
  const id = useId()
  const isMailed = escalation.thenMailMinutes !== null
  const set = (part: Partial<typeof escalation>) => change({ escalation: { ...escalation, ...part } })
  return (
    <section aria-labelledby="escalation-heading">
      <h2 id="escalation-heading">Unread messages</h2>
      <NumberField
        label="Seconds before the other admins on duty are notified"
        value={escalation.afterSeconds}
        error={errorOf('escalation/afterSeconds')}
        onChange={(afterSeconds) => set({ afterSeconds })}
      />
      <Checkbox
        label="Then send them an email"
        checked={isMailed}
        disabled={!hasMail && !isMailed}
        describedBy={hasMail ? undefined : id}
        onChange={(isOn) => set({ thenMailMinutes: isOn ? 10 : null })}
      />
      {!hasMail && (
        <p id={id} className="field-hint">
          {NEEDS_MAIL}
        </p>
      )}
      {escalation.thenMailMinutes !== null && (
        <NumberField
          label="Minutes from the message to the email"
          value={escalation.thenMailMinutes}
          error={errorOf('escalation/thenMailMinutes')}
          onChange={(thenMailMinutes) => set({ thenMailMinutes })}
        />
      )}
    </section>
  )
}

export function RetentionFields({ values: { retentionDays }, change, errorOf }: SettingsFields) {
  return (
    <section aria-labelledby="retention-heading">
      <h2 id="retention-heading">How long conversations are kept</h2>
      <Checkbox
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
    </section>
  )
}

interface CheckboxProps {
  label: string
  checked: boolean
  disabled?: boolean
  describedBy?: string | undefined
  onChange: (checked: boolean) => void
}

export function Checkbox({ label, checked, disabled = false, describedBy, onChange }: CheckboxProps) {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
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
    <section aria-labelledby="second-factor-heading">
      <h2 id="second-factor-heading">Second factor</h2>
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
    </section>
  )
}
