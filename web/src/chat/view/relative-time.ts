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
/** A time further in the future than this shows that the clock is wrong. */
const FUTURE_MS = MINUTE

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns "just now" or "5 minutes ago" for `iso` at `now` (milliseconds since 1970). For a time in the future, which a
 * wrong clock causes, it returns the date.
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

/** Returns a time such as "Nov 22, 2026, 11:43 AM". */
export const exactTime = (iso: string, locale: string): string => dateAndTime(iso, locale, 'medium')

/** Returns a time such as "Sunday, November 22, 2026 at 11:43 AM". */
export const fullTime = (iso: string, locale: string): string => dateAndTime(iso, locale, 'full')

function dateAndTime(iso: string, locale: string, dateStyle: 'medium' | 'full'): string {
  const create = () => new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' })
  return cached(dateFormats, dateStyle + locale, create).format(new Date(iso))
}

/**
 * Returns Intl's word for "now" where this file has none. The dashboard's times can be Chinese, but its words are
 * English only.
 */
function justNow(locale: string): string {
  if (/^en\b/i.test(locale)) return 'just now'
  if (isChinese(locale)) return /hant|tw|hk|mo/i.test(locale) ? '剛剛' : '刚刚'
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
}

export const isChinese = (locale: string): boolean => /^zh\b/i.test(locale)

/** Returns a span in the largest unit that it fills. */
export function inUnits(ms: number): [number, Unit] {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? (['second', SECOND] as const)
  return [Math.floor(ms / size), unit]
}

function cached<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const value = cache.get(key) ?? create()
  cache.set(key, value)
  return value
}
