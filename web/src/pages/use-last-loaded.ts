import { useEffect, useRef } from 'react'

/**
 * Returns `value`. If a reload failed, for example offline, it returns the last value that was loaded for the same
 * `key`.
 */
export function useLastLoaded<T>(value: T | null, key: string): T | null {
  const last = useRef<{ key: string; value: T } | null>(null)
  useEffect(() => {
    if (value !== null) last.current = { key, value }
  }, [value, key])
  return value ?? (last.current?.key === key ? last.current.value : null)
}
