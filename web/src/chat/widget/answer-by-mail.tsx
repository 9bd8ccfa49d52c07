import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { useConversation } from '../view/use-conversation.ts'
import { later } from '../words/en.ts?later'
import { failureText } from './failure-text.ts'
import { say, useSaidEmail, whatWasSaid } from './profile.ts'
import { readProfile } from './profile-fields.tsx'
import './chat-form.css'

interface AnswerByMailProps {
  chat: VisitorChat
  /** Of the history that is shown. */
  epoch: string
  /** No admin is there. */
  away: boolean
}

/** While an answer is due: the address that it goes to, or where no admin is there the question for one. */
export function AnswerByMail({ chat, epoch, away }: AnswerByMailProps) {
  const words = useWords('later', later)
  const { messages } = useConversation(chat.conversation)
  const email = useSaidEmail(epoch)
  const line = useRef<HTMLParagraphElement>(null)
  const [hasSaid, setHasSaid] = useState(false)
  /** What is typed is not taken away when an admin comes. */
  const [isAsked, setAsked] = useState(away)
  if (away && !isAsked) setAsked(true)
  useEffect(() => {
    // The button that had the focus is gone.
    if (hasSaid) line.current?.focus({ preventScroll: true })
  }, [hasSaid])

  if (email === null) return isAsked && <Question chat={chat} onSaid={() => setHasSaid(true)} />
  if (messages.at(-1)?.senderId !== chat.conversation.clientId) return null
  const [before, after] = words.mailTo.split('{email}')
  return (
    <p ref={line} className="chat-mail-to" tabIndex={-1}>
      {before}
      <bdi>{email}</bdi>
      {after}
    </p>
  )
}

function Question({ chat, onSaid }: { chat: VisitorChat; onSaid: () => void }) {
  const id = useId()
  const words = useWords('later', later)
  const [problem, setProblem] = useState<string | null>(null)
  const [isWrong, setWrong] = useState(false)
  const [busy, setBusy] = useState(false)

  async function handleSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const { about, wrong } = readProfile(form, { email: 'required' }, {}, words)
    setProblem(wrong.email ?? null)
    setWrong(wrong.email !== undefined)
    if (wrong.email !== undefined) return form.querySelector('input')?.focus()
    setBusy(true)
    try {
      await say(chat, { ...whatWasSaid(), ...about })
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
        aria-invalid={isWrong}
        aria-describedby={`${id}-problem`}
      />
      <button type="submit" className="button" disabled={busy}>
        {words.save}
      </button>
      <p id={`${id}-problem`} className="field-error" role="alert">
        {problem}
      </p>
    </form>
  )
}
