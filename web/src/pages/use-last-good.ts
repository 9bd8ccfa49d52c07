import { useEffect, useRef } from 'react'

/**
 * What was read, or, where reading it once more failed, what was read of the same thing before: a reader who comes
 * back to the window without a connection keeps the page.
 */
export function useLastGood<T>(value: T | null, of: string): T | null {
  const last = useRef<{ of: string; value: T } | null>(null)
  useEffect(() => {
    if (value !== null) last.current = { of, value }
  }, [value, of])
  return value ?? (last.current?.of === of ? last.current.value : null)
}
