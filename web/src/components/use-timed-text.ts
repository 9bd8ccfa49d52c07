import { useEffect, useState } from 'react'

/** Returns a text that disappears after `ms`, and a function to show one. */
export function useTimedText(ms: number) {
  const [text, show] = useState<string | null>(null)
  useEffect(() => {
    if (text === null) return
    const timer = setTimeout(() => show(null), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return [text, show] as const
}
