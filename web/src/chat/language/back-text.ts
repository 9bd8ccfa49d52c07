import { calendarDays } from './calendar-days.ts'
import type { Words } from './language.ts'

/**
 * Says when an admin is back, in this device's time zone: today and tomorrow by those words, within a week by the
 * weekday.
 */
export function backText(
  opensAt: string | number,
  { now, words, locale }: { now: number; words: Words['panel']; locale: string },
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
  return words.back(day, at.toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' }))
}
