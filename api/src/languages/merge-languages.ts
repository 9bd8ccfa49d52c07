import { LANGUAGES_MAX } from '@proctorpass/shared/limits'
import type { Language, LanguageProblem } from '@proctorpass/shared/schemas/language'
import { fileNameOf, problemIn } from './language-folder.ts'
import { ENGLISH, SHIPPED, type Text, type Texts } from './shipped.ts'

const DIRECTION = 'language.dir'
const REFUSAL = /^refusals\./
/** What mails and pages need and the widget does not. */
const NOT_IN_WIDGET = /^(mail|page)\./

/** A language with all of its texts. */
export interface KnownLanguage {
  tag: string
  dir: Language['dir']
  isShipped: boolean
  own: Language['own']
  /** How many texts are in English. */
  missing: number
  texts: Texts
}

/** Merges each language's texts, key by key: a file's before an upload's, a shipped one, and English. */
export function mergeLanguages(
  uploads: ReadonlyMap<string, Texts>,
  files: ReadonlyMap<string, Texts>,
): { languages: ReadonlyMap<string, KnownLanguage>; problems: LanguageProblem[] } {
  const tags = new Set([...Object.keys(SHIPPED), ...uploads.keys(), ...files.keys()])
  const [known, extra] = [[...tags].slice(0, LANGUAGES_MAX), [...tags].slice(LANGUAGES_MAX)]
  const english = { ...ENGLISH, ...uploads.get('en'), ...files.get('en') }
  const languages = known.sort().map((tag) => {
    const shipped: Texts | undefined = Object.hasOwn(SHIPPED, tag) ? SHIPPED[tag as 'en'] : undefined
    const own = files.has(tag) ? 'file' : uploads.has(tag) ? 'upload' : null
    const found: Texts = { ...shipped, ...uploads.get(tag), ...files.get(tag) }
    const missing = Object.keys(ENGLISH).filter(
      (key) => key !== DIRECTION && !Object.hasOwn(found, key),
    ).length
    const dir = directionOf(tag, found[DIRECTION])
    const merged: Texts = { ...english, ...found, [DIRECTION]: dir }
    return [tag, { tag, dir, isShipped: shipped !== undefined, own, missing, texts: merged }] as const
  })
  const problems = extra.map((tag) =>
    problemIn(fileNameOf(tag), {
      field: '',
      message: `is one language too many: there can be ${LANGUAGES_MAX}.`,
    }),
  )
  return { languages: new Map(languages), problems }
}

function directionOf(tag: string, text: Text | undefined): Language['dir'] {
  if (text === 'ltr' || text === 'rtl') return text
  // TypeScript's library lacks the method.
  const locale = new Intl.Locale(tag) as Intl.Locale & { getTextInfo?(): { direction: string } }
  return locale.getTextInfo?.().direction === 'rtl' ? 'rtl' : 'ltr'
}

/**
 * Returns what the widget loads. The server's own English words say more than the general ones for a refusal, so those
 * are left out unless the operator changed them.
 */
export function widgetTexts({ tag, texts }: KnownLanguage): Texts {
  const isShown = ([key, text]: [string, Text]) =>
    !NOT_IN_WIDGET.test(key) && !(tag === 'en' && REFUSAL.test(key) && text === ENGLISH[key])
  return Object.fromEntries(Object.entries(texts).filter(isShown))
}

/** Returns a file with all keys in English's order. A text that is still in English has all forms that it needs. */
export function wholeFile({ tag, texts }: KnownLanguage): Texts {
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
  return Object.fromEntries(
    Object.keys(ENGLISH).map((key) => {
      const text = texts[key] ?? ''
      if (typeof text === 'string') return [key, text]
      const forms = pluralCategories.map((category) => [category, text[category] ?? text.other ?? ''])
      return [key, { ...text, ...Object.fromEntries(forms) }]
    }),
  )
}
