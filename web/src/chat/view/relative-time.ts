const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['week', 7 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
]

const JUST_NOW_MS = 5 * SECOND

const formats = new Map<string, Intl.RelativeTimeFormat>()

/**
 * "just now" or "5 minutes ago" for `iso` at `now` (milliseconds): in Chinese for a Chinese locale, else in English.
 * The future, seen with a wrong clock, is "just now".
 */
export function relativeTime(iso: string, now: number, locale: string): string {
  const then = Date.parse(iso)
  if (Number.isNaN(then)) return ''
  const language = /^zh\b/i.test(locale) ? locale : 'en'
  const elapsed = now - then
  if (elapsed < JUST_NOW_MS) {
    if (language === 'en') return 'just now'
    return /hant|tw|hk|mo/i.test(language) ? '剛剛' : '刚刚'
  }
  let format = formats.get(language)
  if (!format) {
    format = new Intl.RelativeTimeFormat(language)
    formats.set(language, format)
  }
  const [unit, size] = UNITS.find(([, ms]) => elapsed >= ms) ?? ['second', SECOND]
  return format.format(-Math.floor(elapsed / size), unit as Intl.RelativeTimeFormatUnit)
}
