import { createContext, use } from 'react'
import type { Words } from '../language/language.ts'
import { view } from '../words/en.ts?view'
import { timeLang, timeLocale } from './relative-time.ts'

interface ViewLanguage {
  words: Words['view']
  /** Null in English: its words are part of what shows them. */
  others: Words | null
  /** For times. */
  locale: string
  /** The `lang` of an element with a time. */
  timeLang: string | undefined
}

/** Null in the dashboard: English, with times also in Chinese. */
export const ViewLanguageContext = createContext<ViewLanguage | null>(null)

export function useViewLanguage(): ViewLanguage {
  return use(ViewLanguageContext) ?? { words: view, others: null, locale: timeLocale(), timeLang: timeLang() }
}
