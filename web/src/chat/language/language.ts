import { chooseLanguage as match } from '@proctorpass/shared/choose-language'
import type { ShownText } from '@proctorpass/shared/schemas/config'
import { create } from 'zustand'
import { readStorage } from '../../lib/browser-storage.ts'
import { pageState } from '../../lib/page-state.ts'
import type { Words } from './words.ts'

/** The localStorage key for the language that the visitor chose. */
export const CHOSEN_KEY = 'chat:language'
export const ENGLISH = 'en'

interface Language {
  tag: string
  /** The browser's variant of the language, for dates and times. */
  locale: string
  /** The script's direction. Undefined in English as the release ships it. */
  dir?: 'ltr' | 'rtl' | undefined
  /** Null in English as the release ships it, whose words are part of the code that shows them. */
  words: Words | null
  /** False until the words have loaded, or have failed to load. */
  ready: boolean
}

export const useLanguage = create<Language>(() => ({
  tag: ENGLISH,
  locale: ENGLISH,
  words: null,
  ready: false,
}))

/** Returns one part's words. `inEnglish` are the English ones. */
export function useWords<Part extends keyof Words, Texts extends Partial<Words[Part]>>(
  part: Part,
  inEnglish: Texts,
): Texts {
  return useLanguage(({ words }) => (words?.[part] as Texts | undefined) ?? inEnglish)
}

/** Returns what an admin wrote for this language, or the English text. */
export function inLanguage(texts: ShownText, tag: string): string {
  return texts[tag] || texts.en
}

/**
 * Loads the language that the visitor chose, else the one that a site prefers, else the first of the browser's
 * languages that exists. After a failure, the language stays as it is, which is English at first.
 */
export async function loadLanguage(preferred?: string | null): Promise<void> {
  const wanted = [readStorage(CHOSEN_KEY), preferred, ...navigator.languages].map(tagFor).find(Boolean)
  await load(wanted).catch(() => useLanguage.setState({ ready: true }))
}

/** Loads a language's words. Rejects if they cannot be loaded. */
export async function load(tag = ENGLISH): Promise<void> {
  const { revision, ownEnglish } = pageState().languages
  const file =
    tag === ENGLISH && !ownEnglish ? null : await (await fetch(`/words/${tag}.json?v=${revision}`)).json()
  const words = file && partsOf(file)
  const locale = navigator.languages.find((language) => tagFor(language) === tag) ?? tag
  // An error's answer has no direction, so this rejects.
  useLanguage.setState({ tag, locale, dir: words?.language.dir, words, ready: true })
}

/** Returns a language file's texts by part and name. */
export function partsOf(file: object): Words {
  const words: Record<string, object> = {}
  for (const [key, text] of Object.entries(file)) {
    const [part, name] = key.split(/\.(.*)/) as [string, string]
    words[part] = { ...words[part], [name]: text }
  }
  return words as unknown as Words
}

const tagFor = (locale?: string | null) => match(locale ?? '', pageState().languages.tags)
