import type { Bilingual } from '@proctorpass/shared/schemas/settings'
import { create } from 'zustand'
import { readStorage } from '../../lib/browser-storage.ts'
import type * as english from '../words/en.ts'

/** Every text of the widget in one language. */
export type Words = typeof english

/** The localStorage key for the language that the visitor chose. */
export const CHOSEN_KEY = 'chat:language'
export const ENGLISH = 'en'

/** The other languages, by path. */
export const files = import.meta.glob<Words>(['../words/*.ts', '!../words/en.ts'], { import: 'default' })
const pathOf = (tag: string) => `../words/${tag}.ts`

interface Language {
  tag: string
  /** The browser's variant of the language, for dates and times. */
  locale: string
  /** Null in English, whose words are part of the code that shows them. */
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
export function useWords<Part extends keyof Words>(part: Part, inEnglish: Words[Part]): Words[Part] {
  return useLanguage(({ words }) => words?.[part] ?? inEnglish)
}

/** Returns what an admin wrote for this language, or the English text. */
export function inLanguage(texts: Bilingual, tag: string): string {
  return texts[tag as keyof Bilingual] || texts.en
}

/**
 * Loads the language that the visitor chose, else the one that a site prefers, else the first of the browser's
 * languages that exists. Falls back to English after a failure.
 */
export async function loadLanguage(preferred: string | null = null): Promise<void> {
  const wanted = [
    readStorage(CHOSEN_KEY) ?? '',
    baseOf(preferred ?? ''),
    ...navigator.languages.map(baseOf),
    ENGLISH,
  ]
  await load(wanted.find((tag) => pathOf(tag) in files || tag === ENGLISH)).catch(() => load())
}

/** Loads a language's words. Rejects if they cannot be loaded. */
export async function load(tag = ENGLISH): Promise<void> {
  const words = (await files[pathOf(tag)]?.()) ?? null
  useLanguage.setState({ tag, locale: localeOf(tag), words, ready: true })
}

function localeOf(tag: string): string {
  return navigator.languages.find((language) => baseOf(language) === tag) ?? tag
}

const baseOf = (language: string) => language.split('-', 1)[0] ?? ''
