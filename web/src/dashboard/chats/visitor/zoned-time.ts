const formats = new Map<string, Intl.DateTimeFormat>()

function format(key: string, options: Intl.DateTimeFormatOptions, locale: string): Intl.DateTimeFormat {
  const name = `${key} ${locale} ${options.timeZone ?? ''}`
  const known = formats.get(name) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(name, known)
  return known
}

export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns a time such as "Sun, Nov 22, 2026, 6:30 PM", on this zone's clock. */
export function dayAndTime(iso: string, timeZone: string, locale: string): string {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const options = { ...day, hour: 'numeric', minute: '2-digit', timeZone } as const
  return format('day', options, locale).format(new Date(iso))
}

/** Returns a time such as "Sunday 6:30 PM". */
export function timeNow(now: number, timeZone: string, locale: string): string {
  const options = { weekday: 'long', hour: 'numeric', minute: '2-digit', timeZone } as const
  return format('now', options, locale).format(now)
}

/** Returns how far a zone's clock is ahead of UTC at a time, in milliseconds. */
function aheadOfUtc(time: number, timeZone: string): number {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const parts = format('parts', { ...fields, ...clock, timeZone }, 'en-US').formatToParts(time)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(time / 1_000) * 1_000
}

export function sameClock(time: number, zone: string, other: string): boolean {
  return aheadOfUtc(time, zone) === aheadOfUtc(time, other)
}

/** Returns the value of a `datetime-local` input that shows this moment on a zone's clock. */
export function toInput(iso: string, timeZone: string): string {
  const time = Date.parse(iso)
  return new Date(time + aheadOfUtc(time, timeZone)).toISOString().slice(0, 16)
}

/** Returns the moment at which the zone's clock shows the input, as ISO 8601. Null for an unfinished input. */
export function fromInput(value: string, timeZone: string): string | null {
  const shown = Date.parse(`${value}Z`)
  if (Number.isNaN(shown)) return null
  // The offset is applied twice, because the first guess may be on the other side of a clock change.
  const guess = shown - aheadOfUtc(shown, timeZone)
  return new Date(shown - aheadOfUtc(guess, timeZone)).toISOString()
}
