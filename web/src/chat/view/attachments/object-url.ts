import { useEffect, useState } from 'react'

/** A URL of the bytes that were set last, and the function that sets them. */
export function useObjectUrl(): [url: string | null, setBytes: (bytes: Blob | null) => void] {
  const [bytes, setBytes] = useState<Blob | null>(null)
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (bytes === null) return
    // An image that is already on the screen stays there without its URL until it gets the next one.
    const made = URL.createObjectURL(bytes)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return [url, setBytes]
}
