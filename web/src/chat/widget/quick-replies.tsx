import quickReplies from 'virtual:words/launcher.quickReplies'
import type { ShownReplies } from '@proctorpass/shared/schemas/config'
import { useLanguage, useWords } from '../language/language.ts'
import './quick-replies.css'

const inEnglish = { quickReplies }

/** Texts that the visitor sends with one press, before the first message. */
export function QuickReplies({ texts, onSend }: { texts: ShownReplies; onSend: (text: string) => void }) {
  const words = useWords('launcher', inEnglish)
  const tag = useLanguage((language) => language.tag)
  const own = texts[tag]
  const shown = own?.length ? own : texts.en
  if (shown.length === 0) return null
  return (
    <ul className="chat-quick-replies" aria-label={words.quickReplies}>
      {shown.map((text) => (
        <li key={text}>
          <button type="button" onClick={() => onSend(text)}>
            <bdi>{text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}
