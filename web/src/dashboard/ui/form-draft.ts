import { useEffect, useEffectEvent, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'

const WRITE_AFTER_MS = 400

/** The stored draft of a form, or null. */
export function readFormDraft<T extends object>(key: string): T | null {
  try {
    const draft: unknown = JSON.parse(readStorage(key) ?? 'null')
    return typeof draft === 'object' && draft !== null ? (draft as T) : null
  } catch {
    return null
  }
}

export function removeFormDraft(key: string): void {
  writeStorage(key, null)
}

/** Stores a form's unsaved values, so that they survive a reload and a lost session; null removes the draft. */
export function useFormDraft(key: string, draft: object | null): void {
  const text = draft === null ? null : JSON.stringify(draft)
  const written = useRef<string | null>(null)
  const write = useEffectEvent(() => {
    if (written.current === text) return
    written.current = text
    writeStorage(key, text)
  })
  // Debounced.
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
}
