import { LANGUAGES_MAX } from '@proctorpass/shared/limits'
import type { Language, LanguageProblem } from '@proctorpass/shared/schemas/language'
import { fileNameOf, problemIn } from './language-folder.ts'
import { ENGLISH, SHIPPED_TAGS, shippedTexts, type Text, type Texts } from './shipped.ts'

const DIRECTION = 'language.dir'
const REFUSAL = /^refusals\./
/** What mails and pages need and the widget does not. */
const NOT_IN_WIDGET = /^(mail|page)\./

/** Texts of an upload and of a file for one language. Either may be missing. */
interface OwnTexts {
  upload: Texts | undefined
  file: Texts | undefined
}

/** A language with all of its texts, which are made when they are needed: most languages never are. */
export class KnownLanguage {
  readonly tag: string
  readonly isShipped: boolean
  readonly own: Language['own']
  readonly #own: OwnTexts
  readonly #english: Texts
  #texts: Texts | undefined
  #facts: { dir: Language['dir']; missing: number } | undefined

  constructor(tag: string, own: OwnTexts, english: Texts) {
    this.tag = tag
    this.isShipped = SHIPPED_TAGS.includes(tag)
    this.own = own.file ? 'file' : own.upload ? 'upload' : null
    this.#own = own
    this.#english = english
  }

  get dir(): Language['dir'] {
    return this.#known.dir
  }

  /** How many texts are in English. */
  get missing(): number {
    return this.#known.missing
  }

  get texts(): Texts {
    this.#texts ??= { ...this.#english, ...this.#found(), [DIRECTION]: this.dir }
    return this.#texts
  }

  get #known() {
    if (this.#facts === undefined) {
      const found = this.#found()
      const missing = Object.keys(ENGLISH).filter((key) => key !== DIRECTION && !Object.hasOwn(found, key))
      this.#facts = { dir: directionOf(this.tag, found[DIRECTION]), missing: missing.length }
    }
    return this.#facts
  }

  #found(): Texts {
    return { ...shippedTexts(this.tag), ...this.#own.upload, ...this.#own.file }
  }
}

/** Merges each language's texts, key by key: a file's before an upload's, a shipped one, and English. */
export function mergeLanguages(
  uploads: ReadonlyMap<string, Texts>,
  files: ReadonlyMap<string, Texts>,
): { languages: ReadonlyMap<string, KnownLanguage>; problems: LanguageProblem[] } {
  const tags = [...new Set([...SHIPPED_TAGS, ...uploads.keys(), ...files.keys()])]
  const [known, extra] = [tags.slice(0, LANGUAGES_MAX), tags.slice(LANGUAGES_MAX)]
  const english = { ...ENGLISH, ...uploads.get('en'), ...files.get('en') }
  const languages = known.sort().map((tag) => {
    const own = { upload: uploads.get(tag), file: files.get(tag) }
    return [tag, new KnownLanguage(tag, own, english)] as const
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
