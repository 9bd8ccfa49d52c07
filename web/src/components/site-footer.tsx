import { useSiteConfig } from '../lib/site-config.ts'
import { LiveChatButton } from './live-chat-button.tsx'

export function SiteFooter() {
  const { brand, supportEmail } = useSiteConfig()
  return (
    <footer className="site-footer">
      <div className="site-footer-row">
        <p>
          © <span suppressHydrationWarning>{new Date().getFullYear()}</span> {brand}
        </p>
        <p>
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
        </p>
        <LiveChatButton className="link-button" />
      </div>
    </footer>
  )
}
