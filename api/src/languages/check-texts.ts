import type { ErrorDetail } from '@proctorpass/shared/errors'
import { shownTextProblem } from '@proctorpass/shared/fields/shown-text'
import { LANGUAGE_TAG_PATTERN, LANGUAGE_TEXT_MAX } from '@proctorpass/shared/limits'
import { ENGLISH, type Text, type Texts } from './shipped.ts'

/** A list of problems stops here, because a file that was meant for something else would have thousands. */
const PROBLEMS_MAX = 30

const DIRECTION = 'language.dir'
const TAG = new RegExp(LANGUAGE_TAG_PATTERN)
const PLACE = /\{(\w+)\}/g
const CATEGORIES: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']
/** The plural categories that may stand for one number, which the text can then spell out. */
const NUMBER_FORMS: readonly string[] = ['zero', 'one', 'two']

export const isLanguageTag = (tag: string): boolean => TAG.test(tag) && canonicalTag(tag) === tag

/** Returns the canonical spelling of a tag, such as `he` for `iw`, or null if the text is no tag. */
export function canonicalTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/**
 * Returns the valid texts of a language file, and a problem for each of its other keys. A file need not have all keys.
 */
export function checkTexts(tag: string, file: unknown): { texts: Texts; problems: ErrorDetail[] } {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    return { texts: {}, problems: [{ field: '', message: 'must be one JSON object of keys and texts.' }] }
  }
  const texts: [string, Text][] = []
  const problems: ErrorDetail[] = []
  for (const [key, text] of Object.entries(file)) {
    const message = problemOf(tag, key, text)
    if (message === null) texts.push([key, text as Text])
    else problems.push({ field: shownKey(key), message })
    if (problems.length === PROBLEMS_MAX) {
      problems.push({ field: '', message: 'has more problems than these.' })
      break
    }
  }
  return { texts: Object.fromEntries(texts), problems }
}

/** Makes an unknown key fit for a log and a page. */
function shownKey(key: string): string {
  const shown = key.replace(/[^\p{L}\p{N}.:_ -]/gu, '?').toWellFormed()
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown
}

/** Returns the end of a sentence that begins with the key, or null. */
function problemOf(tag: string, key: string, text: unknown): string | null {
  const english = Object.hasOwn(ENGLISH, key) ? ENGLISH[key] : undefined
  if (english === undefined) return 'is not a key that this release knows.'
  if (key === DIRECTION) return text === 'ltr' || text === 'rtl' ? null : 'must be "ltr" or "rtl".'
  if (typeof english === 'string') {
    return typeof text === 'string' ? textProblem(text, placesOf(english)) : 'must be a text.'
  }
  return formsProblem(tag, text, placesOf(english.other ?? ''))
}

function formsProblem(tag: string, forms: unknown, places: readonly string[]): string | null {
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
  const needed = CATEGORIES.filter((category) => pluralCategories.some((each) => each === category))
  const all = `must have a text for each of ${needed.join(', ')}.`
  if (typeof forms !== 'object' || forms === null || Array.isArray(forms)) return all
  if (needed.some((category) => !Object.hasOwn(forms, category))) return all
  for (const [category, text] of Object.entries(forms)) {
    if (!CATEGORIES.includes(category)) return all
    if (typeof text !== 'string') return `must have a text for ${category}.`
    const withoutCount = places.filter((name) => name !== 'count')
    const problem = textProblem(text, places)
    const mayLackCount = NUMBER_FORMS.includes(category) && textProblem(text, withoutCount) === null
    if (problem !== null && !mayLackCount) return `${problem.slice(0, -1)}, in its form for ${category}.`
  }
  return null
}

const placesOf = (text: string) =>
  [...new Set(Array.from(text.matchAll(PLACE), ([, name = '']) => name))].sort()

function textProblem(text: string, places: readonly string[]): string | null {
  if (text.trim() === '') return 'must not be empty.'
  if ([...text].length > LANGUAGE_TEXT_MAX)
    return `must have ${LANGUAGE_TEXT_MAX.toLocaleString('en')} characters or fewer.`
  if (text.includes('\n') || shownTextProblem(text) !== null)
    return 'must be on one line, without control characters.'
  if (/<[a-z/!]/i.test(text)) return 'must be plain text without HTML.'
  if (placesOf(text).join() === places.join() && !/[{}]/.test(text.replace(PLACE, ''))) return null
  return places.length === 0
    ? 'must not have { or }.'
    : `must have exactly these placeholders: ${places.map((name) => `{${name}}`).join(' ')}.`
}
