import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useLanguage, useWords } from '../language/language.ts'
import { launcher } from '../words/en.ts?launcher'
import './quick-replies.css'

/** Texts that the visitor sends with one press, before the first message. */
export function QuickReplies({
  texts: { en, ...others },
  onSend,
}: {
  texts: Settings['quickReplies']
  onSend: (text: string) => void
}) {
  const words = useWords('launcher', launcher)
  const tag = useLanguage((language) => language.tag)
  const own = others[tag as keyof typeof others] ?? en
  const texts = own.length > 0 ? own : en
  if (texts.length === 0) return null
  return (
    <ul className="chat-quick-replies" aria-label={words.quickReplies}>
      {texts.map((text) => (
        <li key={text}>
          <button type="button" onClick={() => onSend(text)}>
            <bdi>{text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}
