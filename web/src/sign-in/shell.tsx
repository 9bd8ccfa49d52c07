import type { ReactNode } from 'react'
import { BrandMark } from '../components/brand-mark.tsx'
import './login.css'

interface SignInShellProps {
  lang?: string
  dir?: 'ltr' | 'rtl' | undefined
  children: ReactNode
}

/** Frames a page outside the dashboard: the form, and on wide screens a drawing on ruled paper beside it. */
export function SignInShell({ lang, dir, children }: SignInShellProps) {
  return (
    <div className="login-page">
      <main id="main" tabIndex={-1} className="login" lang={lang} dir={dir}>
        <div className="login-form">
          <BrandMark />
          {children}
        </div>
      </main>
      <div className="login-paper">
        {/* Browsers load it only where it is shown. */}
        <img src="/images/rehearsal.svg" alt="" loading="lazy" width={640} height={720} />
      </div>
    </div>
  )
}
