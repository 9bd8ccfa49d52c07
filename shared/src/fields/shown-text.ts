import { SETTINGS_TEXT_MAX } from '../limits.ts'
import type { Localized } from '../schemas/settings.ts'
import { isLonger, tooLong, trimmed } from './text.ts'

/** Explains why a text that admins write for visitors cannot be stored. Null if it can. `max` counts code points. */
export function shownTextProblem(text: string, max = SETTINGS_TEXT_MAX): string | null {
  if (isLonger(text, max)) return tooLong(max)
  const isShowable = !/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u.test(text) && text.isWellFormed()
  return isShowable ? null : "Don't use control characters"
}

/** Returns both texts as they are stored. */
export const cleanLocalized = ({ en, zh }: Localized): Localized => ({
  en: cleanLines(en),
  zh: cleanLines(zh),
})

function cleanLines(text: string): string {
  const lines = text.trim().replaceAll('\r\n', '\n').replaceAll('\t', ' ')
  // `shownTextProblem` refuses control characters, which would count as empty.
  return shownTextProblem(lines, Number.POSITIVE_INFINITY) === null ? trimmed(lines) : lines
}
