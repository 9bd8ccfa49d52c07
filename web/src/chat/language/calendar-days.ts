const DAY_MS = 86_400_000

/** The number of midnights between two times in this device's zone, negative if `to` is earlier. */
export function calendarDays(from: Date, to: Date): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  // A day may have 23 or 25 hours.
  return Math.round((midnight(to) - midnight(from)) / DAY_MS)
}
