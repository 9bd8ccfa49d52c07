const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** The milliseconds since 1970 UTC of an ISO 8601 time with its offset; null for anything else. */
export function parseIso(text: string): number | null {
  if (!ISO.test(text)) return null
  const time = Date.parse(text)
  if (Number.isNaN(time)) return null
  // February 30 would be a day of March.
  const day = Number(text.slice(8, 10))
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
  return day <= daysInMonth ? time : null
}
