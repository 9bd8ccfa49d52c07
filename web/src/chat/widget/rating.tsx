import later from 'virtual:words/later'
import { RATING_WORDS_FIELD } from '@proctorpass/shared/fields/rating'
import { RATING_WORDS_MAX } from '@proctorpass/shared/limits'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { failureText } from './failure-text.ts'
import './chat-form.css'
import './rating.css'

interface RatingProps {
  chat: VisitorChat
  /** Shows the thanks instead of the question. */
  rated: boolean
  onRated: () => void
}

const SCORES = [1, 2, 3, 4, 5] as const

/** Asks for a rating once the conversation is resolved. */
export function Rating({ chat, rated, onRated }: RatingProps) {
  const id = useId()
  const words = useWords('later', later)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [isScored, setScored] = useState(false)
  const thanks = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (rated) thanks.current?.focus({ preventScroll: true })
  }, [rated])

  async function handleSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const values = new FormData(form)
    const score = Number(values.get('score'))
    const text = RATING_WORDS_FIELD.clean(String(values.get('words') ?? ''))
    const wrong = score === 0 ? 'score' : [...text].length > RATING_WORDS_MAX ? 'words' : null
    if (wrong !== null) {
      setProblem(wrong === 'score' ? words.ratingRequired : words.tooLong)
      form.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
      return
    }
    setProblem(null)
    setBusy(true)
    try {
      await chat.conversation.rate(score, text || undefined)
      onRated()
    } catch (error) {
      setProblem(failureText(error, words))
      setBusy(false)
    }
  }

  function handleScore(): void {
    setScored(true)
    setProblem(null)
  }

  if (rated) {
    return (
      <p ref={thanks} className="chat-form chat-rating" tabIndex={-1}>
        {words.ratingThanks}
      </p>
    )
  }
  return (
    <form className="chat-form chat-rating" noValidate aria-busy={busy} onSubmit={handleSubmit}>
      <fieldset aria-describedby={`${id}-problem`} onChange={handleScore}>
        <legend>{words.rating}</legend>
        <div className="chat-scores">
          {SCORES.map((score) => (
            <label key={score}>
              <input
                type="radio"
                name="score"
                value={score}
                aria-label={`${score}: ${words[`scores.${score}`]}`}
              />
              <span aria-hidden="true">{score}</span>
            </label>
          ))}
        </div>
        <p className="chat-score-ends" aria-hidden="true">
          <span>{words['scores.1']}</span>
          <span>{words['scores.5']}</span>
        </p>
      </fieldset>
      <div className="field">
        <label htmlFor={`${id}-words`}>{words.ratingWords}</label>
        <textarea id={`${id}-words`} name="words" rows={2} dir="auto" aria-describedby={`${id}-problem`} />
      </div>
      <p id={`${id}-problem`} className="field-error" role="alert">
        {problem}
      </p>
      {/* Without a score it can still be pressed, and then says what is missing. */}
      <button
        type="submit"
        className="button button-primary"
        disabled={busy}
        aria-disabled={!isScored || undefined}
      >
        {words.ratingSend}
      </button>
    </form>
  )
}
