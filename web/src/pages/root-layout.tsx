import { useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router-dom'
import { pageHead, titleOf } from '../documents/page-head.ts'
import { useSiteConfig } from '../lib/site-config.ts'

export function RootLayout() {
  useDocumentTitle()
  useFocusAfterNavigation()
  return (
    <>
      <Outlet />
      <LauncherMount />
      <ScrollRestoration />
    </>
  )
}

function useDocumentTitle(): void {
  const { brand } = useSiteConfig()
  const head = pageHead(useMatches())
  const title = head && titleOf(head, brand)
  useEffect(() => {
    if (title) document.title = title
  }, [title])
}

/** A browser puts the focus at the top of a new page; here that is its main part. */
function useFocusAfterNavigation(): void {
  const { pathname, search } = useLocation()
  const page = pathname + search
  const previous = useRef(page)
  useEffect(() => {
    if (previous.current === page) return
    previous.current = page
    const main = document.getElementById('main')
    // A page that has put the focus somewhere itself knows better.
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
  }, [page])
}

/** The chat's button comes after the page is there: the first paint does not pay for it. */
function LauncherMount() {
  const { pathname } = useLocation()
  const [Launcher, setLauncher] = useState<(() => React.ReactNode) | null>(null)
  const wanted = !/dashboard|login/i.test(pathname)

  useEffect(() => {
    if (!wanted || Launcher) return
    let left = false
    import('../chat/widget/launcher.tsx').then(
      (module) => {
        if (!left) setLauncher(() => module.Launcher)
      },
      // Offline before it came: the next page asks again.
      () => {},
    )
    return () => {
      left = true
    }
  }, [wanted, Launcher])

  return wanted && Launcher ? <Launcher /> : null
}
