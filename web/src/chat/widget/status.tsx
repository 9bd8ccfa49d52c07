import panel from 'virtual:words/panel'
import type { ChatState } from '@proctorpass/shared/schemas/config'
import { serverNow } from '../../lib/server-clock.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { backText } from '../language/back-text.ts'
import { fill } from '../language/fill.ts'
import { useLanguage, useWords } from '../language/language.ts'
import type { Words } from '../language/words.ts'
import { useLinkState } from '../view/use-conversation.ts'

interface StatusProps {
  chat: VisitorChat
  loaded: boolean
  /** Whether any admin is connected. Null while unknown, as with polling. */
  online: boolean | null
  state: ChatState | null
}

/** Shows the connection and, separately, whether an admin is online or when one will be. */
export function Status({ chat, loaded, online, state }: StatusProps) {
  const words = useWords('panel', panel)
  const locale = useLanguage((language) => language.locale)
  const { connection, trouble } = useLinkState(chat.link)
  const connected = loaded && connection === 'connected'
  const presence = connected ? presenceOf(online, state, words, locale) : null
  return (
    <div className="chat-status" role="status" data-online={connected && online}>
      <p className="chat-connection">{connected ? words.connected : words.connecting}</p>
      {presence !== null && <p className="chat-presence">{presence}</p>}
      {trouble && (
        <p className="chat-trouble">
          {trouble === 'offline' || trouble === 'unreachable' ? words[trouble] : trouble}
        </p>
      )}
    </div>
  )
}

/** Whether the admins are away. An admin who is connected is there, even outside the opening hours. */
export function isAway(online: boolean | null, state: ChatState | null): boolean {
  return online === false || (online === null && state?.open === false)
}

/** Returns only known facts: no presence with polling, and an answer time only while an admin may be online. */
function presenceOf(
  online: boolean | null,
  state: ChatState | null,
  words: Words['panel'],
  locale: string,
): string | null {
  if (isAway(online, state)) {
    return state?.opensAt ? backText(state.opensAt, { now: serverNow(), words, locale }) : words.away
  }
  const wait =
    state?.open && state.waitMinutes ? [fill(words.wait, { count: state.waitMinutes }, locale)] : []
  return [...(online ? [words.online] : []), ...wait].join(' · ') || null
}
