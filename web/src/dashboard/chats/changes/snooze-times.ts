const HOUR_MS = 3_600_000
const MORNING = 9
const MONDAY = 1

interface Preset {
  label: string
  until: Date
}

/** Times to choose from, in the admin's time zone. */
export function snoozePresets(now: number): Preset[] {
  const today = new Date(now).getDay()
  // On a Monday it is the next one.
  const daysToMonday = (MONDAY - today + 7) % 7 || 7
  return [
    { label: 'In 1 hour', until: new Date(now + HOUR_MS) },
    { label: 'In 4 hours', until: new Date(now + 4 * HOUR_MS) },
    { label: 'Tomorrow', until: morning(now, 1) },
    { label: 'Next Monday', until: morning(now, daysToMonday) },
  ]
}

/** By the calendar, not by hours: a day may have 23 or 25. */
function morning(now: number, days: number): Date {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, MORNING)
}

/** "4:30 PM", "tomorrow, 9:00 AM" or "Mon, Nov 23, 9:00 AM". */
export function snoozeTime(iso: string, now: number): string {
  const until = new Date(iso)
  const time = timeFormat.format(until)
  const isOnDay = (days: number) => until.toDateString() === morning(now, days).toDateString()
  if (isOnDay(0)) return time
  return isOnDay(1) ? `tomorrow, ${time}` : `${dayFormat.format(until)}, ${time}`
}

const timeFormat = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const dayFormat = new Intl.DateTimeFormat('en', { weekday: 'short', month: 'short', day: 'numeric' })

/** The value of a `datetime-local` field. */
export function fieldTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
