import { createSignal } from '../engine/signal.ts'
import { fallbackStorage } from './fallback-storage.ts'

const prefilled = createSignal<string>()
/** Notifies of the key when a draft was written without typing. */
export const onPrefilled = prefilled.on

// Drafts that no storage accepts stay here, and survive a navigation.
const memory = new Map<string, string>()

/** Returns the unsent text under `key`, or the empty string. */
export function readMessageDraft(key: string): string {
  try {
    return memory.get(key) ?? fallbackStorage()?.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Stores the draft. The empty string removes it. */
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

/** Writes a draft into an empty message box. */
export function prefillDraft(key: string, text: string): void {
  if (readMessageDraft(key) !== '') return
  writeMessageDraft(key, text)
  prefilled.emit(key)
}
