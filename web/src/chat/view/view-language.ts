import { createContext, use } from 'react'
import type { Words } from '../language/language.ts'
import { view } from '../words/en.ts?view'

interface ViewLanguage {
  words: Words['view']
  /** Null in English, whose words are part of the code that shows them. */
  others: Words | null
  /** The locale for times. */
  locale: string
  /** The `lang` attribute for an element with a time. */
  timeLang: string | undefined
}

export const ENGLISH_VIEW: ViewLanguage = { words: view, others: null, locale: 'en', timeLang: undefined }

export const ViewLanguageContext = createContext(ENGLISH_VIEW)

export const useViewLanguage = (): ViewLanguage => use(ViewLanguageContext)
