import later from 'virtual:words/later'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { listen } from '../../../lib/listen.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { useWords } from '../../language/language.ts'
import { useConversation } from '../../view/use-conversation.ts'
import { failureText } from '../failure-text.ts'
import { reportSoon, saveProfile, storedProfile, useStoredEmail, useUnsubscribed } from './profile.ts'
import { readProfile } from './profile-fields.tsx'
import '../chat-form.css'

interface AnswerByMailProps {
  chat: VisitorChat
  /** The epoch of the history that is shown. */
  epoch: string
  /** Whether no admin is there. */
  away: boolean
}

/**
 * Shows the address that receives an answer while one is due. If no admin is there, it asks for an address, and it also
 * asks a visitor who unsubscribed.
 */
export function AnswerByMail({ chat, epoch, away }: AnswerByMailProps) {
  const words = useWords('later', later)
  const { messages } = useConversation(chat.conversation)
  const email = useStoredEmail(epoch)
  const unsubscribed = useUnsubscribed()
  const line = useRef<HTMLParagraphElement>(null)
  const [timesSaid, setTimesSaid] = useState(0)
  /** Whether the address is asked for. The typed text stays when an admin comes online. */
  const [isAsked, setAsked] = useState(away)
  if (away && !isAsked) setAsked(true)
  useEffect(() => {
    // The button that had the focus is gone.
    if (timesSaid > 0) line.current?.focus({ preventScroll: true })
  }, [timesSaid])

  const isDue = messages.at(-1)?.senderId === chat.conversation.clientId
  const isSaid = email !== null
  useEffect(() => {
    if (!isDue || !isSaid) return
    // Unsubscribing happens on another page or in a mail program.
    const check = () => {
      if (document.visibilityState === 'visible') void reportSoon(chat, epoch, { always: true })
    }
    check()
    return listen(document, ['visibilitychange'], check)
  }, [chat, epoch, isDue, isSaid])

  if (!isSaid || unsubscribed) {
    const handleSaid = () => setTimesSaid(timesSaid + 1)
    return isAsked && <Question chat={chat} unsubscribed={email} onSaid={handleSaid} />
  }
  if (!isDue) return null
  const [before, after] = words.mailTo.split('{email}')
  return (
    <p ref={line} className="chat-mail-to" tabIndex={-1}>
      {before}
      <bdi>{email}</bdi>
      {after}
    </p>
  )
}

interface QuestionProps {
  chat: VisitorChat
  /** The address that was unsubscribed; null if none was. */
  unsubscribed: string | null
  onSaid: () => void
}

function Question({ chat, unsubscribed, onSaid }: QuestionProps) {
  const id = useId()
  const words = useWords('later', later)
  const [problem, setProblem] = useState<string | null>(null)
  const [isWrong, setWrong] = useState(false)
  const [busy, setBusy] = useState(false)
  const hasHint = unsubscribed !== null && problem === null

  async function handleSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const { about, wrong } = readProfile(form, { email: 'required' }, {}, words)
    setProblem(wrong.email ?? null)
    setWrong(wrong.email !== undefined)
    if (wrong.email !== undefined) return form.querySelector('input')?.focus()
    // Only the link in a mail proves that the address is the visitor's.
    if (about.email === unsubscribed) return setProblem(words.mailOff)
    setBusy(true)
    try {
      await saveProfile(chat, { ...storedProfile(), ...about })
      onSaid()
    } catch (error) {
      setProblem(failureText(error, words))
      setBusy(false)
    }
  }

  return (
    <form className="chat-form chat-mail-form field" noValidate aria-busy={busy} onSubmit={handleSubmit}>
      <label htmlFor={id}>{words.mailOffer}</label>
      <input
        id={id}
        type="email"
        name="email"
        autoComplete="email"
        dir="ltr"
        defaultValue={unsubscribed ?? ''}
        aria-invalid={isWrong}
        aria-describedby={`${hasHint ? `${id}-hint` : ''} ${id}-problem`.trim()}
      />
      <button type="submit" className="button button-primary" disabled={busy}>
        {words.save}
      </button>
      {hasHint && (
        <p id={`${id}-hint`} className="field-hint">
          {words.mailOff}
        </p>
      )}
      <p id={`${id}-problem`} className="field-error" role="alert">
        {problem}
      </p>
    </form>
  )
}
