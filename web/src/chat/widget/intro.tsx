import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { Bilingual } from '@proctorpass/shared/schemas/settings'
import { pageState } from '../../lib/page-state.ts'
import { useLanguage, useWords } from '../language/language.ts'
import { panel } from '../words/en.ts?panel'
import { channels } from './channels.ts'

/** What an admin wrote for this language, else in English. */
export function inLanguage(texts: Bilingual, tag: string): string {
  return texts[tag as keyof Bilingual] || texts.en
}

/** The first bubble: the greeting and the other contact channels. */
export function Greeting({ state }: { state: ChatState | null }) {
  const words = useWords('panel', panel)
  const tag = useLanguage((language) => language.tag)
  const ways = channels(pageState().config.contacts)
  return (
    <div className="chat-row chat-greeting">
      <div className="chat-bubble">
        <span className="visually-hidden">{`${words.support}: `}</span>
        <p className="chat-text" dir="auto">
          {(state && inLanguage(state.greeting, tag)) || words.greeting}
        </p>
        {ways.length > 0 && (
          <details>
            <summary>{words.channels}</summary>
            <ul>
              {ways.map(({ name, text, href }) => (
                <li key={name}>
                  <span>{name}</span>
                  {href === null ? (
                    <bdi>{text}</bdi>
                  ) : (
                    <a href={href} target="_blank" rel="noopener noreferrer">
                      <bdi>{text}</bdi>
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </div>
  )
}

/** What visitors read while it is closed. */
export function AwayMessage({ state }: { state: ChatState }) {
  const words = useWords('panel', panel)
  const text = inLanguage(
    state.away,
    useLanguage((language) => language.tag),
  )
  if (text === '') return null
  return (
    <div className="chat-row">
      <div className="chat-bubble">
        <span className="visually-hidden">{`${words.support}: `}</span>
        <p className="chat-text" dir="auto">
          {text}
        </p>
      </div>
    </div>
  )
}
