/** The beginning of a day (`2026-11-20`) as an instant, ISO 8601 in UTC. */
export function dayStart(day: string): string {
  return `${day}T00:00:00.000Z`
}
