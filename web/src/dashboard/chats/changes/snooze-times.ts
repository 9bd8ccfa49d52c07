const MORNING = 9

/** Returns nine o'clock on a later day. It counts by the calendar, because a day may have 23 or 25 hours. */
export function morning(now: number, days: number): Date {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, MORNING)
}

/** Returns a time such as "4:30 PM", "tomorrow, 9:00 AM", or "Mon, Nov 23, 9:00 AM". */
export function snoozeTime(iso: string, now: number): string {
  const until = new Date(iso)
  const time = timeFormat.format(until)
  const isOnDay = (days: number) => until.toDateString() === morning(now, days).toDateString()
  if (isOnDay(0)) return time
  return isOnDay(1) ? `tomorrow, ${time}` : `${dayFormat.format(until)}, ${time}`
}

const timeFormat = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const dayFormat = new Intl.DateTimeFormat('en', { weekday: 'short', month: 'short', day: 'numeric' })
