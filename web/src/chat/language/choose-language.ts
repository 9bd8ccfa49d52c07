import { writeStorage } from '../../lib/browser-storage.ts'
import { CHOSEN_KEY, ENGLISH, files, load } from './language.ts'

/** The tags of all languages, which are the names of their files. */
export const LANGUAGES = [ENGLISH, ...Object.keys(files).map((path) => path.replace(/^.*\/|\.ts$/g, ''))]

/** Loads a language and remembers it. Rejects if its words cannot be loaded. */
export async function chooseLanguage(tag: string): Promise<void> {
  await load(tag)
  writeStorage(CHOSEN_KEY, tag)
}
