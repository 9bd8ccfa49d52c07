import { LANGUAGE_TAG_PATTERN, SETTINGS_TEXT_MAX } from '../limits.ts'
import type { Localized } from '../schemas/settings.ts'
import { isLonger, tooLong, trimmed } from './text.ts'

/** Explains why a text that admins write for visitors cannot be stored. Null if it can. `max` counts code points. */
export function shownTextProblem(text: string, max = SETTINGS_TEXT_MAX): string | null {
  if (isLonger(text, max)) return tooLong(max)
  const isShowable = !/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u.test(text) && text.isWellFormed()
  return isShowable ? null : "Don't use control characters"
}

const TAG = new RegExp(LANGUAGE_TAG_PATTERN)

/** Returns the texts as they are stored. Beyond English and Chinese, only languages with a text are. */
export function cleanLocalized(
  texts: Localized,
  isKept = (_tag: string) => true,
  clean: (text: string) => string = cleanLines,
): Localized {
  const { en, zh, ...others } = texts
  const kept = Object.entries(others).filter(
    ([tag, text]) => TAG.test(tag) && isKept(tag) && clean(text) !== '',
  )
  return {
    en: clean(en),
    zh: clean(zh),
    ...Object.fromEntries(kept.map(([tag, text]) => [tag, clean(text)])),
  }
}

function cleanLines(text: string): string {
  const lines = text.trim().replaceAll('\r\n', '\n').replaceAll('\t', ' ')
  // `shownTextProblem` refuses control characters, which would count as empty.
  return shownTextProblem(lines, Number.POSITIVE_INFINITY) === null ? trimmed(lines) : lines
}
