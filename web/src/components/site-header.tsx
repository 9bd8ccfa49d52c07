import { Menu as MenuIcon, X } from 'virtual:icons'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { navigation } from '../content/navigation.ts'
import { listen } from '../lib/listen.ts'
import { BrandMark } from './brand-mark.tsx'
import { Icon } from './icon.tsx'
import { LiveChatButton } from './live-chat-button.tsx'

const TINT_AFTER_PX = 70

export function SiteHeader({ lang }: { lang: string | undefined }) {
  const tinted = useScrolledPast(TINT_AFTER_PX)
  return (
    <header className="site-header" data-tinted={tinted} lang={lang}>
      <div className="site-header-row">
        <BrandMark />
        <Menu />
        <LiveChatButton className="button button-primary" />
      </div>
    </header>
  )
}

/**
 * Shows the links in a row, or, on a narrow screen, behind a button. The list is a native popover, so it opens and
 * closes without scripts, and Escape or a press outside closes it.
 */
function Menu() {
  const { key, pathname } = useLocation()
  const menu = useRef<HTMLElement>(null)

  // The menu closes after a navigation.
  useEffect(() => {
    menu.current?.hidePopover?.()
  }, [key])

  return (
    <>
      <button type="button" className="menu-button" popoverTarget="menu" aria-label="Menu">
        <Icon of={MenuIcon} large />
        <Icon of={X} large />
      </button>
      <nav ref={menu} id="menu" popover="auto" aria-label="Main">
        <ul>
          {navigation.map(({ label, to }) => (
            <li key={to}>
              <Link to={to} aria-current={currentAt(pathname, to)}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

/**
 * Returns the link's `aria-current`. A post is inside the blog but is not the link's page, so it gets `true` instead of
 * `page`.
 */
function currentAt(pathname: string, to: string): 'page' | true | undefined {
  if (pathname === to) return 'page'
  return (to === '/blogs' && /^\/blog\/[^/]+$/.test(pathname)) || undefined
}

function useScrolledPast(pixels: number): boolean {
  const [past, setPast] = useState(false)
  useEffect(() => {
    const update = () => setPast(window.scrollY > pixels)
    update()
    return listen(window, ['scroll'], update, { passive: true })
  }, [pixels])
  return past
}
