import { useEffect, useState } from 'react'
import { NavLink } from 'react-router-dom'
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
        <nav aria-label="Main">
          <ul>
            {navigation.map(({ label, to }) => (
              <li key={to}>
                <NavLink to={to} end={to === '/'}>
                  {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <LiveChatButton className="button button-small" />
      </div>
    </header>
  )
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
