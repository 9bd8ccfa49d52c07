import { useEffect, useEffectEvent, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'

const WRITE_AFTER_MS = 400

/** What was being written when the page went away; null when nothing was. */
export function readDraft<T extends object>(key: string): T | null {
  try {
    const draft: unknown = JSON.parse(readStorage(key) ?? 'null')
    return typeof draft === 'object' && draft !== null ? (draft as T) : null
  } catch {
    return null
  }
}

export function dropDraft(key: string): void {
  writeStorage(key, null)
}

/** Keeps what a form holds while it differs from what is saved, so that it survives a reload and a lost session. */
export function useKeptDraft(key: string, draft: object | null): void {
  const text = draft === null ? null : JSON.stringify(draft)
  const written = useRef<string | null>(null)
  const write = useEffectEvent(() => {
    if (written.current === text) return
    written.current = text
    writeStorage(key, text)
  })
  // A change of the text starts the clock anew.
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
