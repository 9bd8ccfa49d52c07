const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })

/** Returns a time on the admin's clock, such as "Nov 28, 2026, 9:00 AM". */
export function shownTime(iso: string): string {
  return TIME.format(new Date(iso))
}

/** Returns the day of a time on the admin's clock, such as "Nov 28, 2026". */
export function shownDay(iso: string): string {
  return DAY.format(new Date(iso))
}
