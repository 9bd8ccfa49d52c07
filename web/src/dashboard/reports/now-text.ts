import type { Now } from '@proctorpass/shared/schemas/report'
import { durationText, plural, shown, WEEKDAYS } from './report-text.ts'

const MINUTE_MS = 60_000

/** `less than a minute`, `12 min`, `3.5 h`: the time from `since` until `now` (milliseconds), in whole minutes. */
export function waitedText(since: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(since)) / MINUTE_MS)
  if (minutes < 1) return 'less than a minute'
  return minutes < 2 ? '1 min' : durationText(minutes * 60)
}

/** What is announced: only what calls for an admin. */
export function nowText({ waiting: { count } }: Pick<Now, 'waiting'>): string {
  if (count === 0) return 'No one waits for an answer.'
  return `${count} ${plural(count, 'conversation')} ${count === 1 ? 'waits' : 'wait'} for an answer.`
}

/** `Tuesdays before: 8 min` */
export function weekdayText({ date, weekday }: Pick<Now['firstWait'], 'date' | 'weekday'>): string {
  const name = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7]
  const median = shown(weekday, 'median')
  return median === null ? 'nothing to compare with' : `${name}s before: ${durationText(median)}`
}
