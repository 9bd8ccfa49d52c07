import { useEffect, useRef } from 'react'
import { useNavigation, useRevalidator } from 'react-router'

const FRESH_MS = 20_000

/** Reloads the page's data when the window gets the focus and the data is older than 20 s. */
export function useRefetchOnFocus(): void {
  const { state: revalidating, revalidate } = useRevalidator()
  const { state: navigating } = useNavigation()
  const loadedAt = useRef(0)

  useEffect(() => {
    if (revalidating === 'idle' && navigating === 'idle') loadedAt.current = Date.now()
  }, [revalidating, navigating])

  useEffect(() => {
    const refetch = () => {
      if (document.visibilityState === 'visible' && Date.now() - loadedAt.current > FRESH_MS) revalidate()
    }
    window.addEventListener('focus', refetch)
    document.addEventListener('visibilitychange', refetch)
    return () => {
      window.removeEventListener('focus', refetch)
      document.removeEventListener('visibilitychange', refetch)
    }
  }, [revalidate])
}
