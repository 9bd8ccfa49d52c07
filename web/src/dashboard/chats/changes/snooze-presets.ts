import { morning } from './snooze-times.ts'

const HOUR_MS = 3_600_000
const MONDAY = 1

interface Preset {
  label: string
  until: Date
}

/** Returns the times to choose from, in the admin's time zone. */
export function snoozePresets(now: number): Preset[] {
  const today = new Date(now).getDay()
  // On a Monday, this is the following Monday.
  const daysToMonday = (MONDAY - today + 7) % 7 || 7
  return [
    { label: 'In 1 hour', until: new Date(now + HOUR_MS) },
    { label: 'In 4 hours', until: new Date(now + 4 * HOUR_MS) },
    { label: 'Tomorrow', until: morning(now, 1) },
    { label: 'Next Monday', until: morning(now, daysToMonday) },
  ]
}

/** Returns the value for a `datetime-local` field. */
export function fieldTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
