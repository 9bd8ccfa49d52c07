import type { Settings } from '@proctorpass/shared/schemas/settings'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { CardFields } from './card-fields.tsx'
import { HoursFields } from './hours-fields.tsx'
import {
  EscalationFields,
  FileFields,
  PreChatFields,
  RatingField,
  RetentionFields,
  SecondFactorField,
  SuggestionsField,
} from './rule-fields.tsx'
import { AwayFields, GreetingFields } from './text-fields.tsx'
import { useSettingsForm } from './use-settings-form.ts'

/** Unsaved values stay in this browser as a draft. */
export function SettingsForm({ stored, hasMail }: { stored: Settings; hasMail: boolean }) {
  const form = useSettingsForm(stored, hasMail)
  const { fields, saved, isSaving, attempts } = form
  const element = useRef<HTMLFormElement>(null)
  const [isConfirming, setConfirming] = useState(false)
  useEffect(() => {
    if (attempts > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts])

  function handleSubmit(event: FormEvent): void {
    event.preventDefault()
    if (isSaving || !form.check()) return
    if (isShorter(saved.retentionDays, fields.values.retentionDays)) setConfirming(true)
    else void form.save()
  }

  return (
    <form
      ref={element}
      className="work-form settings-form"
      noValidate
      aria-busy={isSaving}
      onSubmit={handleSubmit}
    >
      {form.hasDraft && (
        <p className="work-note" role="status">
          Your unsaved changes are back.{' '}
          <button type="button" className="link-button" onClick={form.discard}>
            Discard them
          </button>
        </p>
      )}
      <HoursFields {...fields} />
      <AwayFields {...fields} />
      <GreetingFields {...fields} />
      <PreChatFields {...fields} />
      <FileFields {...fields} />
      <RatingField {...fields} />
      <SuggestionsField {...fields} />
      <CardFields {...fields} />
      <EscalationFields {...fields} />
      <RetentionFields {...fields} />
      <SecondFactorField {...fields} />
      {form.other && (
        <Conflict what="the settings" onKeepMine={form.keepMine} onTakeOther={form.takeOther}>
          <ChangedParts other={form.other} saved={saved} />
        </Conflict>
      )}
      <div className="form-end">
        <SubmitButton busy={isSaving}>Save settings</SubmitButton>
        <p className="field-hint" role="status">
          {form.isDirty ? 'Unsaved changes' : ''}
        </p>
      </div>
      {isConfirming && (
        <ConfirmDialog
          title="Erase old conversations?"
          question={`Conversations without a message for ${fields.values.retentionDays} days are erased for good: messages, notes, files, ratings, and what visitors said about themselves. The first ones go within minutes.`}
          confirmLabel="Save and erase"
          onConfirm={() => {
            setConfirming(false)
            void form.save()
          }}
          onCancel={() => setConfirming(false)}
        />
      )}
      <AskBeforeLeaving unsaved={form.unsaved} />
    </form>
  )
}

/** Whether more is erased than before. */
function isShorter(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before)
}

const NAMES: { [F in Exclude<keyof Settings, 'version'>]: string } = {
  hours: 'Opening hours',
  away: 'Away message',
  greeting: 'Greeting',
  quickReplies: 'Quick replies',
  preChat: 'Questions before the chat',
  files: 'Files',
  filesNotice: 'Notice about files',
  rating: 'Rating',
  suggestions: 'Suggestions',
  cards: 'Cards',
  escalation: 'Unread messages',
  retentionDays: 'How long conversations are kept',
  secondFactor: 'Second factor',
}

/** What another admin changed since `saved`, with which both began. */
function ChangedParts({ other, saved }: { other: Settings; saved: Settings }) {
  const changed = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(
    (name) => JSON.stringify(other[name]) !== JSON.stringify(saved[name]),
  )
  return (
    <>
      <p>Your version is still in the form above. They changed:</p>
      <ul>
        {changed.map((name) => (
          <li key={name}>{NAMES[name]}</li>
        ))}
      </ul>
    </>
  )
}
