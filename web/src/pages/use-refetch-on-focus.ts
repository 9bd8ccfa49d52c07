import { useEffect, useRef } from 'react'
import { useNavigation, useRevalidator } from 'react-router-dom'

const FRESH_MS = 20_000

/** Reads the page's lists again when the reader comes back to the window and some time has passed. */
export function useRefetchOnFocus(): void {
  const { state: revalidating, revalidate } = useRevalidator()
  const { state: navigating } = useNavigation()
  const readAt = useRef(0)

  useEffect(() => {
    if (revalidating === 'idle' && navigating === 'idle') readAt.current = Date.now()
  }, [revalidating, navigating])

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible' && Date.now() - readAt.current > FRESH_MS) revalidate()
    }
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [revalidate])
}
