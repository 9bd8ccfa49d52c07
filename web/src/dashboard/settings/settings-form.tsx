import type { Settings } from '@proctorpass/shared/schemas/settings'
import { DraftNote } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { PartsPage } from '../ui/parts-page.tsx'
import { SaveBar } from '../ui/save-bar.tsx'
import { CARDS, CardFields } from './card-fields.tsx'
import { HOURS, HoursFields } from './hours-fields.tsx'
import { LANGUAGES, LanguageFields } from './language-fields.tsx'
import {
  ESCALATION,
  EscalationFields,
  FILES,
  FileFields,
  PRE_CHAT,
  PreChatFields,
  RATING,
  RatingField,
  RETENTION,
  RetentionFields,
  SECOND_FACTOR,
  SecondFactorField,
  SHOWN_TEAM,
  ShownTeamField,
  SUGGESTIONS,
  SuggestionsField,
} from './rule-fields.tsx'
import { AWAY, AwayFields, GREETING, GreetingFields } from './text-fields.tsx'
import { type SettingsValues, useSettingsForm } from './use-settings-form.ts'

const PARTS = [
  HOURS,
  LANGUAGES,
  AWAY,
  GREETING,
  SHOWN_TEAM,
  PRE_CHAT,
  FILES,
  RATING,
  SUGGESTIONS,
  CARDS,
  ESCALATION,
  RETENTION,
  SECOND_FACTOR,
]

/** Unsaved values stay in this browser as a draft. */
export function SettingsForm({ stored, hasMail }: { stored: Settings; hasMail: boolean }) {
  const { admin, fields, saved } = useSettingsForm(stored, hasMail)
  return (
    <form className="settings-form" {...admin.props}>
      <PartsPage parts={PARTS}>
        <DraftNote form={admin} />
        <HoursFields {...fields} />
        <LanguageFields {...fields} />
        <AwayFields {...fields} />
        <GreetingFields {...fields} />
        <ShownTeamField {...fields} />
        <PreChatFields {...fields} />
        <FileFields {...fields} />
        <RatingField {...fields} />
        <SuggestionsField {...fields} />
        <CardFields {...fields} />
        <EscalationFields {...fields} />
        <RetentionFields {...fields} />
        <SecondFactorField {...fields} />
        {admin.conflict && (
          <Conflict what="the settings" {...admin.conflict}>
            <ChangedParts other={admin.conflict.other} saved={saved} />
          </Conflict>
        )}
      </PartsPage>
      <SaveBar form={admin} saveLabel="Save settings" />
      {admin.asked && (
        <ConfirmDialog
          title="Erase old conversations?"
          question={`Conversations without a message for ${fields.values.retentionDays} days are erased permanently: messages, notes, files, ratings, and visitor details. The first ones are erased within minutes.`}
          confirmLabel="Save and erase"
          onConfirm={admin.asked.onConfirm}
          onCancel={admin.asked.onCancel}
        />
      )}
      <AskBeforeLeaving unsaved={admin.unsaved} />
    </form>
  )
}

const NAMES: Record<keyof SettingsValues, string> = {
  hours: 'Opening hours',
  away: 'Away message',
  greeting: 'Greeting',
  quickReplies: 'Quick replies',
  languages: 'Languages',
  preChat: 'Questions before the chat',
  files: 'Files',
  filesNotice: 'Notice about files',
  rating: 'Rating',
  suggestions: 'Suggestions',
  cards: 'Cards',
  escalation: 'Unread messages',
  retentionDays: 'How long conversations are kept',
  secondFactor: 'Second factor',
  showTeam: 'Who answers',
}

/** Lists what another admin has changed since both admins began to edit `saved`. */
function ChangedParts({ other, saved }: { other: SettingsValues; saved: SettingsValues }) {
  const changed = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(
    (name) => JSON.stringify(other[name]) !== JSON.stringify(saved[name]),
  )
  return (
    <>
      <p>Your version is still in the form above. The saved version changed:</p>
      <ul>
        {changed.map((name) => (
          <li key={name}>{NAMES[name]}</li>
        ))}
      </ul>
    </>
  )
}
