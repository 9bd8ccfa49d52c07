import { EXAM_SOON_MS } from '@proctorpass/shared/limits'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const format = new Intl.RelativeTimeFormat('en')

/**
 * Returns when an exam is, such as "Exam in 3 hours" or "Exam 2 days ago". `examAt` is ISO 8601, and `now` is in
 * milliseconds.
 */
export function examLabel(examAt: string, now: number): string {
  const left = Date.parse(examAt) - now
  const minutes = Math.round(left / MINUTE)
  if (minutes === 0) return 'Exam now'
  if (Math.abs(minutes) < 60) return `Exam ${format.format(minutes, 'minute')}`
  // "26 hours" is more useful than "1 day".
  const hours = Math.round(left / HOUR)
  return `Exam ${Math.abs(hours) < 48 ? format.format(hours, 'hour') : format.format(Math.round(left / DAY), 'day')}`
}

/** Returns whether the exam begins within EXAM_SOON_MS. */
export function isExamSoon(examAt: string, now: number): boolean {
  const left = Date.parse(examAt) - now
  return left >= 0 && left <= EXAM_SOON_MS
}

/** Returns the color of an exam: red within an hour of its beginning, amber if it is soon, and otherwise null. */
export function examTone(examAt: string, now: number): 'red' | 'amber' | null {
  const left = Date.parse(examAt) - now
  if (Math.abs(left) <= HOUR) return 'red'
  return isExamSoon(examAt, now) ? 'amber' : null
}
