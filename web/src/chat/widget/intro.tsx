import { Clock } from 'virtual:icons'
import panel from 'virtual:words/panel'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { Icon } from '../../components/icon.tsx'
import { pageState } from '../../lib/page-state.ts'
import { useWords } from '../language/language.ts'

interface Channel {
  name: string
  /** The contact as configured: a number, a name, or an address. */
  text: string
  /** Null or empty if the text makes no link. */
  href: string | null
}

/** Returns the other ways to contact the business that are configured. */
function channels({ whatsapp, discord, telegram }: PublicConfig['contacts']): Channel[] {
  const number = whatsapp.replace(/\D/g, '')
  const handle = telegram.replace(/^@/, '')
  return [
    { name: 'WhatsApp', text: whatsapp, href: address(whatsapp) ?? (number && `https://wa.me/${number}`) },
    { name: 'Discord', text: discord, href: address(discord) },
    {
      name: 'Telegram',
      text: telegram,
      href: address(telegram) ?? `https://t.me/${encodeURIComponent(handle)}`,
    },
  ].filter(({ text }) => text.trim())
}

function address(text: string): string | null {
  return /^https:\/\//i.test(text) && URL.canParse(text) ? text : null
}

interface IntroProps {
  /** The sender's name. */
  from: string
  text: string
}

/** The greeting and the other contact channels. */
export function Greeting({ from, text }: IntroProps) {
  const words = useWords('panel', panel)
  const ways = channels(pageState().config.contacts)
  return (
    <div className="chat-row chat-greeting">
      <span className="chat-initial" aria-hidden="true">
        {[...from][0]}
      </span>
      <div className="chat-bubble">
        <span className="visually-hidden">{`${from}: `}</span>
        <p className="chat-text" dir="auto">
          {text}
        </p>
        {ways.length > 0 && (
          <details>
            <summary>{words.channels}</summary>
            <ul>
              {ways.map(({ name, text, href }) => (
                <li key={name}>
                  <span>{name}</span>
                  {href ? (
                    <a href={href} target="_blank" rel="noopener noreferrer">
                      <bdi>{text}</bdi>
                    </a>
                  ) : (
                    <bdi>{text}</bdi>
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

/** The text that visitors read while the business is closed. */
export function AwayMessage({ from, text }: IntroProps) {
  return (
    <div className="chat-away">
      <Icon of={Clock} />
      <span className="visually-hidden">{`${from}: `}</span>
      <p className="chat-text" dir="auto">
        {text}
      </p>
    </div>
  )
}
