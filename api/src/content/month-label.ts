const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Returns a review's date, such as "March 2026". An Intl.DateTimeFormat would take 9 MB of memory. */
export function monthLabel(at: number): string {
  const date = new Date(at)
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}
