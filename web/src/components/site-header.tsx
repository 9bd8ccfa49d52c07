import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { navigation } from '../content/navigation.ts'
import { BrandMark } from './brand-mark.tsx'
import { LiveChatButton } from './live-chat-button.tsx'

const TINT_AFTER_PX = 70

export function SiteHeader() {
  const tinted = useScrolledPast(TINT_AFTER_PX)
  return (
    <header className="site-header" data-tinted={tinted}>
      <div className="site-header-row">
        <BrandMark />
        <Menu />
        <LiveChatButton className="button button-small" />
      </div>
    </header>
  )
}

/**
 * The links in a row, or, where there is no room, behind a button. The browser's own popover opens and closes them,
 * by Escape and a press elsewhere too, with and without scripts.
 */
function Menu() {
  const { key, pathname } = useLocation()
  const menu = useRef<HTMLElement>(null)

  // Whoever chose a link has seen enough of the menu.
  useEffect(() => {
    menu.current?.hidePopover?.()
  }, [key])

  return (
    <>
      <button type="button" className="menu-button" popoverTarget="menu" aria-label="Menu">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path className="menu-button-open" d="M2 5h16M2 10h16M2 15h16" />
          <path className="menu-button-close" d="M4 4l12 12M16 4L4 16" />
        </svg>
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

/** A post belongs to the blog without being the page that the link leads to. */
function currentAt(pathname: string, to: string): 'page' | true | undefined {
  if (pathname === to) return 'page'
  return (to === '/blogs' && /^\/blog\/[^/]+$/.test(pathname)) || undefined
}

function useScrolledPast(pixels: number): boolean {
  const [past, setPast] = useState(false)
  useEffect(() => {
    const look = () => setPast(window.scrollY > pixels)
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [pixels])
  return past
}
