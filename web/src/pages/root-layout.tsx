import { useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router'
import { LIVE_CHAT_PRESSED_ID, useLiveChat } from '../lib/live-chat-store.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { langOf, pageHead, titleOf } from '../metadata/page-head.ts'
import { manifestPath } from '../metadata/site-paths.ts'

export function RootLayout() {
  useDocumentHead()
  useFocusAfterNavigation()
  return (
    <>
      <Outlet />
      <LauncherMount />
      <ScrollRestoration />
    </>
  )
}

function useDocumentHead(): void {
  const { brand } = useSiteConfig()
  const head = pageHead(useMatches())
  const title = head && titleOf(head, brand)
  useEffect(() => {
    if (title) document.title = title
  }, [title])
  const lang = langOf(head)
  useEffect(() => {
    document.documentElement.lang = lang
  }, [lang])
  const manifest = manifestPath(head)
  useEffect(() => document.querySelector('link[rel=manifest]')?.setAttribute('href', manifest), [manifest])
}

/** Moves the focus to the main part after a navigation, as a browser does for a new document. */
function useFocusAfterNavigation(): void {
  const { pathname, search } = useLocation()
  const page = pathname + search
  const previous = useRef(page)
  useEffect(() => {
    if (previous.current === page) return
    previous.current = page
    const main = document.getElementById('main')
    // The page may have set the focus itself.
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
  }, [page])
}

/**
 * Loads the chat's button after hydration, so that it does not delay the first paint. Until then, a popover remembers
 * that a Live Chat button was pressed.
 */
function LauncherMount() {
  const { pathname } = useLocation()
  const [Launcher, setLauncher] = useState<(() => React.ReactNode) | null>(null)
  const pressed = useRef<HTMLParagraphElement>(null)
  const hasLauncher = !/dashboard|login|^\/(invite|c|c\/unsubscribe)\/?$/i.test(pathname)

  useEffect(() => {
    if (!hasLauncher || Launcher) return
    let unmounted = false
    import('../chat/widget/launcher.tsx').then(
      (module) => {
        if (unmounted) return
        const popover = pressed.current
        if (popover?.showPopover && popover.matches(':popover-open')) useLiveChat.getState().setOpen(true)
        useLiveChat.setState({ loaded: true })
        setLauncher(() => module.Launcher)
      },
      // The browser is offline, and the next page retries.
      () => {},
    )
    return () => {
      unmounted = true
    }
  }, [hasLauncher, Launcher])

  if (!hasLauncher) return null
  if (Launcher) return <Launcher />
  return (
    <p ref={pressed} id={LIVE_CHAT_PRESSED_ID} className="live-chat-pressed" popover="manual" role="status">
      Loading chat...
    </p>
  )
}
