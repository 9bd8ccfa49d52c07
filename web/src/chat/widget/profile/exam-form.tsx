import later from 'virtual:words/later'
import { type FormEvent, useId, useState } from 'react'
import { refusedFields } from '../../../lib/error-message.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { useWords } from '../../language/language.ts'
import { ChatDialog } from '../chat-dialog.tsx'
import { chatToast } from '../chat-toast.ts'
import { failureText } from '../failure-text.ts'
import { saveProfile, storedProfile } from './profile.ts'
import {
  type Asked,
  focusFirst,
  PROFILE_NAMES,
  type ProfileErrors,
  ProfileFields,
  readProfile,
} from './profile-fields.tsx'

const ALL: Asked = { name: 'optional', email: 'optional', examAt: 'optional' }

/** A modal in which visitors say who they are and when their exam is. */
export function ExamForm({ chat, onClose }: { chat: VisitorChat; onClose: () => void }) {
  const id = useId()
  const words = useWords('later', later)
  const [stored] = useState(storedProfile)
  const [errors, setErrors] = useState<ProfileErrors>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const hasWritten = chat.conversation.getState().messages.length > 0

  function refuse(form: HTMLFormElement, found: ProfileErrors): void {
    setErrors(found)
    focusFirst(form, found)
  }

  async function handleSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const { about, wrong } = readProfile(form, ALL, stored, words)
    setFailure(null)
    if (Object.keys(wrong).length > 0) return refuse(form, wrong)
    setErrors({})
    setBusy(true)
    try {
      await saveProfile(chat, about)
      chatToast('success', words.aboutSaved)
      onClose()
    } catch (error) {
      setBusy(false)
      const refused = refusedFields(error, PROFILE_NAMES)
      if (refused.length === 0) return setFailure(failureText(error, words))
      refuse(form, Object.fromEntries(refused.map(({ field, message }) => [field, message])))
    }
  }

  return (
    <ChatDialog labelledBy={id} busy={busy} onClose={onClose}>
      <form noValidate aria-busy={busy} onSubmit={handleSubmit}>
        <h2 id={id}>{words.about}</h2>
        <p className="field-hint">{hasWritten ? words.aboutIntro : words.aboutIntroBefore}</p>
        <ProfileFields asked={ALL} values={stored} errors={errors} />
        <p className="field-error" role="alert">
          {failure}
        </p>
        <div className="chat-dialog-end">
          <button type="button" className="button" disabled={busy} onClick={onClose}>
            {words.cancel}
          </button>
          <button type="submit" className="button button-primary" disabled={busy}>
            {words.save}
          </button>
        </div>
      </form>
    </ChatDialog>
  )
}
