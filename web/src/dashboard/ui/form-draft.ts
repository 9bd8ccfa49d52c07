import { useEffect, useEffectEvent, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'

const WRITE_AFTER_MS = 400

/** Reads a form's stored draft. Null if there is none. */
export function readFormDraft<T extends object>(key: string): T | null {
  try {
    const draft: unknown = JSON.parse(readStorage(key) ?? 'null')
    return typeof draft === 'object' && draft !== null ? (draft as T) : null
  } catch {
    return null
  }
}

/**
 * Stores a form's unsaved values, so that they survive a reload and an ended session. Null removes them, and without a
 * key nothing is stored. Returns a function that removes what is stored, even if the form ends with these values.
 */
export function useFormDraft(key: string | undefined, draft: object | null): () => void {
  const text = draft === null ? null : JSON.stringify(draft)
  const written = useRef<string | null>(null)
  const latest = useRef(text)
  useEffect(() => {
    latest.current = text
  })

  const write = useEffectEvent(() => {
    if (key === undefined || written.current === text) return
    written.current = text
    writeStorage(key, text)
  })
  useEffect(() => {
    const timer = setTimeout(write, WRITE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const writeNow = () => write()
    window.addEventListener('pagehide', writeNow)
    return () => {
      window.removeEventListener('pagehide', writeNow)
      writeNow()
    }
  }, [])

  return () => {
    if (key === undefined) return
    written.current = latest.current
    writeStorage(key, null)
  }
}
