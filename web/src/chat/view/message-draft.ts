import { fallbackStorage } from './fallback-storage.ts'

// What no storage takes at least survives a navigation.
const memory = new Map<string, string>()

/** The unsent text under `key`, or the empty string. */
export function readDraft(key: string): string {
  try {
    return memory.get(key) ?? fallbackStorage()?.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** The empty string removes the draft. */
export function writeDraft(key: string, text: string): void {
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
