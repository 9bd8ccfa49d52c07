import { Link } from 'react-router'
import { footerLinks } from '../content/navigation.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { ChatHours } from './chat-hours.tsx'
import { LiveChatButton } from './live-chat-button.tsx'

export function SiteFooter() {
  const { brand, supportEmail } = useSiteConfig()
  return (
    <footer className="site-footer">
      <div className="site-footer-row">
        <p>
          © <span suppressHydrationWarning>{new Date().getFullYear()}</span> {brand}
        </p>
        <nav aria-label="Footer">
          <ul>
            {footerLinks.map(({ label, to }) => (
              <li key={to}>
                <Link to={to}>{label}</Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="site-footer-ways">
          <LiveChatButton className="link-button" />
          <p>
            <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
          </p>
          <ChatHours />
        </div>
      </div>
    </footer>
  )
}
