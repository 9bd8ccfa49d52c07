import { calendarDays } from './calendar-days.ts'
import { fill } from './fill.ts'
import type { Words } from './words.ts'

/**
 * Says when an admin is back, in this device's time zone: today and tomorrow by those words, within a week by the
 * weekday.
 */
export function backText(
  opensAt: string | number,
  { now, words, locale }: { now: number; words: Pick<Words['panel'], 'back'>; locale: string },
): string {
  const at = new Date(opensAt)
  const days = calendarDays(new Date(now), at)
  const day =
    days < 2
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.max(days, 0), 'day')
      : at.toLocaleDateString(
          locale,
          days < 7 ? { weekday: 'long' } : { weekday: 'long', day: 'numeric', month: 'long' },
        )
  return fill(words.back, {
    day,
    time: at.toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' }),
  })
}
