import { fallbackStorage } from './fallback-storage.ts'

// For drafts that no storage accepts: they survive a navigation.
const memory = new Map<string, string>()

/** The unsent text under `key`, or the empty string. */
export function readMessageDraft(key: string): string {
  try {
    return memory.get(key) ?? fallbackStorage()?.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** The empty string removes the draft. */
export function writeMessageDraft(key: string, text: string): void {
  memory.delete(key)
  try {
    const storage = fallbackStorage()
    if (text === '') storage?.removeItem(key)
    else if (storage === null) memory.set(key, text)
    else storage.setItem(key, text)
  } catch {
    memory.set(key, text)
  }
}
