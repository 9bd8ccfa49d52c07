const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The date of a review, such as "March 2026". */
export function monthLabel(at: number): string {
  return month.format(at)
}
