import { calendarDays } from './calendar-days.ts'
import type { Words } from './language.ts'

/** When an admin is back, in this device's zone: today and tomorrow by their names, within a week the weekday. */
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
