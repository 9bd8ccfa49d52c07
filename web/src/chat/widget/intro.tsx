import type { ReactNode } from 'react'
import { pageState } from '../../lib/page-state.ts'
import { useWords } from '../language/language.ts'
import { launcher } from '../words/en.ts?launcher'
import { panel } from '../words/en.ts?panel'
import { channels } from './channels.ts'

interface BubbleProps {
  className?: string
  text: string
  children?: ReactNode
}

/** A message that no admin wrote for this visitor. */
function Bubble({ className = '', text, children }: BubbleProps) {
  const words = useWords('panel', panel)
  return (
    <div className={`chat-row ${className}`}>
      <div className="chat-bubble">
        <span className="visually-hidden">{`${words.support}: `}</span>
        <p className="chat-text" dir="auto">
          {text}
        </p>
        {children}
      </div>
    </div>
  )
}

/** The greeting and the other contact channels. */
export function Greeting({ text }: { text: string }) {
  const words = useWords('panel', panel)
  const { greeting } = useWords('launcher', launcher)
  const ways = channels(pageState().config.contacts)
  return (
    <Bubble className="chat-greeting" text={text || greeting}>
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
    </Bubble>
  )
}

/** What visitors read while it is closed. */
export const AwayMessage = ({ text }: { text: string }) => <Bubble text={text} />
