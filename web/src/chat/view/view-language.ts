import { createContext, use } from 'react'
import type { Words } from '../language/language.ts'
import { view } from '../words/en.ts?view'

interface ViewLanguage {
  words: Words['view']
  /** Null in English: its words are part of what shows them. */
  others: Words | null
  /** For times. */
  locale: string
  /** The `lang` of an element with a time. */
  timeLang: string | undefined
}

export const ENGLISH_VIEW: ViewLanguage = { words: view, others: null, locale: 'en', timeLang: undefined }

export const ViewLanguageContext = createContext(ENGLISH_VIEW)

export const useViewLanguage = (): ViewLanguage => use(ViewLanguageContext)
