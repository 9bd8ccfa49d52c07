import { Mail, MessageCircle } from 'virtual:icons'
import { ChatHours } from './chat-hours.tsx'
import { Icon } from './icon.tsx'
import { LiveChatButton } from './live-chat-button.tsx'
import { SupportMail } from './support-mail.tsx'

/** Lists the ways to reach the business. Without scripts there is no chat, so its entry is left out. */
export function Ways() {
  return (
    <ul className="ways">
      <li className="needs-scripts">
        <Icon of={MessageCircle} large />
        <div>
          <LiveChatButton className="link-button" />
          <ChatHours />
        </div>
      </li>
      <li>
        <Icon of={Mail} large />
        <div>
          <b>Email</b>
          <SupportMail />
        </div>
      </li>
    </ul>
  )
}
