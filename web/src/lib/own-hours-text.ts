import type { Hours } from '@proctorpass/shared/schemas/settings'
import { openTimes, weekLines } from './hours-text.ts'

/** Describes the opening hours on this device's clock. Null if that clock shows the same times. */
export function ownHoursText(hours: Hours | null, now: number, ownZone?: string): string | null {
  if (hours === null) return null
  const ahead = Math.round((clock(now, ownZone) - clock(now, hours.timeZone)) / 60_000)
  const open = openTimes(hours)
  // A clock that cannot be read is not a number.
  if (!ahead || open.length === 0) return null
  const own = open.map(({ from, to }) => ({ from: from + ahead, to: to + ahead }))
  return `Your time: ${weekLines(own).join('; ')}`
}

/** Returns what a zone's clock shows, as a number that is only comparable with another one. */
function clock(now: number, timeZone: string | undefined): number {
  return Date.parse(new Date(now).toLocaleString('en-US', { timeZone, hourCycle: 'h23' }))
}
