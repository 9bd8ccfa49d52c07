import { useEffect, useState } from 'react'
import { listen } from '../../lib/listen.ts'

/** Loads code once it is wanted, and after a failure when the browser is online again. Null until then. */
export function useLoaded<T extends object>(load: () => Promise<T>, wanted = true): T | null {
  const [loaded, setLoaded] = useState<T | null>(null)
  useEffect(() => {
    if (!wanted || loaded) return
    const attempt = () => load().then(setLoaded, () => {})
    void attempt()
    return listen(window, ['online'], attempt)
  }, [load, wanted, loaded])
  return loaded
}
