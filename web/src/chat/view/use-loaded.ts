import { useEffect, useState } from 'react'
import { listen } from '../../lib/listen.ts'

/** Loads code once `enabled` is true, and after a failure when the browser is online again. Returns null until then. */
export function useLoaded<T extends object>(load: () => Promise<T>, enabled = true): T | null {
  const [loaded, setLoaded] = useState<T | null>(null)
  useEffect(() => {
    if (!enabled || loaded) return
    const attempt = () => load().then(setLoaded, () => {})
    void attempt()
    return listen(window, ['online'], attempt)
  }, [load, enabled, loaded])
  return loaded
}
