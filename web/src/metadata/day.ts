/** The start of a day (`2026-11-20`) in UTC, as ISO 8601. */
export function dayStart(day: string): string {
  return `${day}T00:00:00.000Z`
}
