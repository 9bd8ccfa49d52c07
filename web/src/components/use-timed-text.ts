import { useEffect, useState } from 'react'

/** A text that disappears after `ms`. */
export function useTimedText(ms: number) {
  const [text, show] = useState<string | null>(null)
  useEffect(() => {
    if (text === null) return
    const timer = setTimeout(() => show(null), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return [text, show] as const
}
