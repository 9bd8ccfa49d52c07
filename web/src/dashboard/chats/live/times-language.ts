import { ENGLISH_VIEW } from '../../../chat/view/view-language.ts'

const isChinese = (locale: string) => /^zh\b/i.test(locale)

/** The browser's language if it is Chinese or English, else English. */
export function timeLocale(): string {
  const { language } = navigator
  return isChinese(language) || /^en\b/i.test(language) ? language : 'en'
}

/** The dashboard is in English. Its times may also be in Chinese. */
export function dashboardLanguage(): typeof ENGLISH_VIEW {
  const locale = timeLocale()
  return { ...ENGLISH_VIEW, locale, timeLang: isChinese(locale) ? locale : undefined }
}
