import { useEffect, useState } from 'react'

/** What `load` imports, once it is `wanted`: null before. `retry` loads again after a failure. */
export function usePart<T>(wanted: boolean, load: () => Promise<T>): { part: T | null; retry: () => void } {
  const [part, setPart] = useState<{ loaded: T } | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!wanted || part) return
    load().then(
      (loaded) => setPart({ loaded }),
      () => {},
    )
  }, [wanted, part, tries])
  return { part: part?.loaded ?? null, retry: () => setTries(tries + 1) }
}
