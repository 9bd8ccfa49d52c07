const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Unit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second'

const UNITS: readonly [Unit, number][] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['week', 7 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
]

const JUST_NOW_MS = 5 * SECOND
/** A time further in the future shows that the clock is wrong. */
const FUTURE_MS = MINUTE

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()
const exactFormats = new Map<string, Intl.DateTimeFormat>()

/**
 * "just now" or "5 minutes ago" for `iso` at `now` (milliseconds). For the future, seen with a wrong clock, it is the
 * date.
 */
export function relativeTime(iso: string, now: number, locale: string): string {
  const then = Date.parse(iso)
  if (Number.isNaN(then)) return ''
  const elapsed = now - then
  if (elapsed < -FUTURE_MS) return exactTime(iso, locale)
  if (elapsed < JUST_NOW_MS) return justNow(locale)
  const format = cached(relativeFormats, locale, () => new Intl.RelativeTimeFormat(locale))
  const [count, unit] = inUnits(elapsed)
  return format.format(-count, unit)
}

/** "Nov 22, 2026, 11:43 AM". */
export function exactTime(iso: string, locale: string): string {
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  return cached(exactFormats, locale, () => new Intl.DateTimeFormat(locale, options)).format(new Date(iso))
}

/** What Intl has for it means "now": the dashboard's times are also Chinese, its words are not. */
function justNow(locale: string): string {
  if (/^en\b/i.test(locale)) return 'just now'
  if (isChinese(locale)) return /hant|tw|hk|mo/i.test(locale) ? '剛剛' : '刚刚'
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
}

const isChinese = (locale: string): boolean => /^zh\b/i.test(locale)

/** The browser's language when it is Chinese or English, else English. */
export function timeLocale(): string {
  const language = navigator.language
  return /^(?:zh|en)\b/i.test(language) ? language : 'en'
}

/** The `lang` of an element with such a time: the page itself is in English. */
export function timeLang(): string | undefined {
  return isChinese(timeLocale()) ? timeLocale() : undefined
}

/** A span in the largest unit that it fills. */
export function inUnits(ms: number): [number, Unit] {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? (['second', SECOND] as const)
  return [Math.floor(ms / size), unit]
}

function cached<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const value = cache.get(key) ?? create()
  cache.set(key, value)
  return value
}
