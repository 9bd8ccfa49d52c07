import type { Now } from '@proctorpass/shared/schemas/report'
import { durationText, plural, shown, WEEKDAYS } from './report-text.ts'

const MINUTE_MS = 60_000

/** `below 1 min`, `12 min`, `3.5 h`: the time from `since` until `now` (milliseconds), in whole minutes. */
export function waitedText(since: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(since)) / MINUTE_MS)
  if (minutes < 1) return 'below 1 min'
  return minutes < 2 ? '1 min' : durationText(minutes * 60)
}

/** The announcement for screen readers: only the count that an admin acts on. */
export function nowText({ waiting: { count } }: Pick<Now, 'waiting'>): string {
  if (count === 0) return 'No one waits for an answer.'
  return `${count} ${plural(count, 'conversation')} ${count === 1 ? 'waits' : 'wait'} for an answer.`
}

/** `Tuesdays: 8 min`; a dash with too few. */
export function weekdayText({ date, weekday }: Pick<Now['firstWait'], 'date' | 'weekday'>): string {
  const name = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7]
  return `${name}s: ${durationText(shown(weekday, 'median'))}`
}
