import en from './words/en.ts'

/** All texts of the mail to a visitor, in one language. */
export type MailWords = typeof en

interface MailLanguage {
  tag: string
  words: MailWords
}
const ENGLISH: MailLanguage = { tag: 'en', words: en }

/**
 * Returns the words in the language of the visitor's browser, such as `zh-TW`, if `words` has a file for it, or else in
 * English.
 */
export async function mailLanguage(locale: string | null): Promise<MailLanguage> {
  const [tag = ''] = /^[a-z]{2,3}(?=-|$)/.exec(locale?.toLowerCase() ?? '') ?? []
  if (tag === '' || tag === ENGLISH.tag) return ENGLISH
  try {
    const { default: words } = (await import(`./words/${tag}.ts`)) as { default: MailWords }
    return { tag, words }
  } catch {
    return ENGLISH
  }
}
