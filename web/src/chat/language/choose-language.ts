import { writeStorage } from '../../lib/browser-storage.ts'
import { CHOSEN_KEY, load } from './language.ts'

/** Loads a language and remembers it. Rejects if its words cannot be loaded. */
export async function chooseLanguage(tag: string): Promise<void> {
  await load(tag)
  writeStorage(CHOSEN_KEY, tag)
}
