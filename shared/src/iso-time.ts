const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Returns the milliseconds since 1970 UTC for an ISO 8601 time with its offset. Null for anything else. */
export function parseIso(text: string): number | null {
  if (!ISO.test(text)) return null
  const time = Date.parse(text)
  if (Number.isNaN(time)) return null
  // Date.parse takes February 30 as a day in March.
  const day = Number(text.slice(8, 10))
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
  return day <= daysInMonth ? time : null
}
