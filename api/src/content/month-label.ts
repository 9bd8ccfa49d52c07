const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Such as "March 2026", which is how reviews are dated. */
export function monthLabel(at: number): string {
  return month.format(at)
}
