import type { PageLanguage } from '@proctorpass/shared/page-text'
import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation, useMatches, useNavigation, useRevalidator } from 'react-router'
import { ChatHours } from '../components/chat-hours.tsx'
import { LiveChatButton } from '../components/live-chat-button.tsx'
import { SiteHeader } from '../components/site-header.tsx'
import { Spinner } from '../components/spinner.tsx'
import { footerLinks } from '../content/navigation.ts'
import { listen } from '../lib/listen.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { pageHead } from '../metadata/page-head.ts'

/** Renders the frame of every public page. */
export function SiteLayout() {
  const navigating = useNavigation().state === 'loading'
  const { lang = 'en', dir, languages = [] } = pageHead(useMatches())?.text ?? {}
  const ours = lang === 'en' ? undefined : 'en'
  useRefetchOnFocus(navigating)
  return (
    <div className="site">
      <a className="skip-link" href="#main" lang={ours}>
        Skip to content
      </a>
      <SiteHeader lang={ours} />
      {/* The old page stays until the next one is loaded, so that nothing jumps. */}
      <div className="loading" role="status" lang={ours}>
        {navigating && (
          <p>
            <Spinner /> Loading
          </p>
        )}
      </div>
      <main id="main" tabIndex={-1} aria-busy={navigating} dir={ours && dir}>
        {languages.length > 0 && <Languages languages={languages} current={lang} />}
        <Outlet />
      </main>
      <SiteFooter lang={ours} />
    </div>
  )
}

interface LanguagesProps {
  languages: readonly PageLanguage[]
  current: string
}

/** Leads to the page in its other languages. */
function Languages({ languages, current }: LanguagesProps) {
  const { pathname } = useLocation()
  return (
    <nav className="languages" aria-label="Languages" lang={current === 'en' ? undefined : 'en'}>
      <ul>
        {languages.map(({ tag, name }) => (
          <li key={tag}>
            <Link
              to={tag === 'en' ? pathname : `${pathname}?lang=${tag}`}
              lang={tag}
              aria-current={tag === current ? 'page' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function SiteFooter({ lang }: { lang: string | undefined }) {
  const { brand, supportEmail } = useSiteConfig()
  return (
    <footer className="site-footer" lang={lang}>
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

const FRESH_MS = 20_000

/** Reloads the page's data when the window gets the focus and the data is older than 20 s. */
function useRefetchOnFocus(navigating: boolean): void {
  const { state, revalidate } = useRevalidator()
  const loadedAt = useRef(0)

  useEffect(() => {
    if (state === 'idle' && !navigating) loadedAt.current = Date.now()
  }, [state, navigating])

  useEffect(
    () =>
      listen(window, ['focus', 'visibilitychange'], () => {
        if (document.visibilityState === 'visible' && Date.now() - loadedAt.current > FRESH_MS) revalidate()
      }),
    [revalidate],
  )
}
