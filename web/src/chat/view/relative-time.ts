type Unit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second'

/** In milliseconds. A year has 365 days and a month 30. */
const UNITS: readonly [Unit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

const JUST_NOW_MS = 5_000
/** A time further in the future than this shows that the clock is wrong. */
const FUTURE_MS = 60_000

/** Formats by what they format and their locale. */
const formats = new Map<string, unknown>()

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
  const format = cached(locale, () => new Intl.RelativeTimeFormat(locale))
  const [count, unit] = inUnits(elapsed)
  return format.format(-count, unit)
}

/** Returns a time such as "Nov 22, 2026, 11:43 AM". */
export const exactTime = (iso: string, locale: string): string => dateAndTime(iso, locale, 'medium')

/** Returns a time such as "Sunday, November 22, 2026 at 11:43 AM". */
export const fullTime = (iso: string, locale: string): string => dateAndTime(iso, locale, 'full')

function dateAndTime(iso: string, locale: string, dateStyle: 'medium' | 'full'): string {
  const create = () => new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' })
  return cached(dateStyle + locale, create).format(new Date(iso))
}

/**
 * Returns Intl's word for "now" where this file has none. The dashboard's times can be Chinese, but its words are
 * English only.
 */
function justNow(locale: string): string {
  const own = { en: 'just now', zh: /hant|tw|hk|mo/i.test(locale) ? '剛剛' : '刚刚' }[
    locale.split('-')[0] ?? ''
  ]
  if (own) return own
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
}

/** Returns a span in the largest unit that it fills. */
export function inUnits(ms: number): [number, Unit] {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? (['second', 1_000] as const)
  return [Math.floor(ms / size), unit]
}

function cached<T>(key: string, create: () => T): T {
  const value = (formats.get(key) as T | undefined) ?? create()
  formats.set(key, value)
  return value
}
