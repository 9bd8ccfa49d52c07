import { useEffect, useRef } from 'react'

/** `value`, or the last one that was loaded for the same `key` when a reload failed, such as offline. */
export function useLastLoaded<T>(value: T | null, key: string): T | null {
  const last = useRef<{ key: string; value: T } | null>(null)
  useEffect(() => {
    if (value !== null) last.current = { key, value }
  }, [value, key])
  return value ?? (last.current?.key === key ? last.current.value : null)
}
