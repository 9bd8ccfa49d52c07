import { useEffect, useState } from 'react'

/** Returns a URL for the bytes that were set last, and a function that sets them. */
export function useObjectUrl(): [url: string | null, setBytes: (bytes: Blob | null) => void] {
  const [bytes, setBytes] = useState<Blob | null>(null)
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (bytes === null) return
    // The old URL can be revoked now, because an image on the screen stays there until it gets the next URL.
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return [url, setBytes]
}
