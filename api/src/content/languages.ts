/** The languages that are switched on. */
const LANGUAGES: readonly string[] = ['en', 'zh']

/** Every text has English words, and stands for a translation that is missing. */
export const ENGLISH = 'en'

export async function languagesOn(): Promise<readonly string[]> {
  return LANGUAGES
}

/** Returns whether pages and posts may be written in the language. */
export async function isOn(lang: string): Promise<boolean> {
  return LANGUAGES.includes(lang)
}
