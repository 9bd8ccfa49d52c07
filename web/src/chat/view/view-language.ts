import view from 'virtual:words/view'
import { createContext, use } from 'react'
import type { Words } from '../language/words.ts'

interface ShownLanguage {
  /** The words' language. */
  tag: string
  /** The locale for times. */
  locale: string
  /** Null in English, whose words are part of the code that shows them. */
  words: Words | null
  /** The `lang` attribute for an element with a time. */
  timeLang?: string | undefined
}

export const ENGLISH_VIEW: ShownLanguage = { tag: 'en', locale: 'en', words: null }

export const ViewLanguageContext = createContext(ENGLISH_VIEW)

/** Returns the language with the words of this part. `others` are the words of all parts. */
export function useViewLanguage() {
  const language = use(ViewLanguageContext)
  const { words: others } = language
  return { ...language, words: others?.view ?? view, others }
}
