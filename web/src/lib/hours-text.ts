import type { Hours } from '@proctorpass/shared/schemas/settings'
import type { ShownHours } from './site-config.ts'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const DAY = 24 * 60
const WEEK = 7 * DAY

/** A time in which the business is open, in minutes after the week's beginning on Monday. */
interface OpenTime {
  from: number
  to: number
}

/** Describes the opening hours in words, such as "Monday to Friday, 9 AM to 6 PM Eastern Time". Null means always open. */
export function hoursLines(hours: Hours | null): string[] {
  if (hours === null) return ['Write any time']
  const lines = weekLines(openTimes(hours))
  const zone = zoneName(hours.timeZone)
  if (lines.length === 0) return ['The chat is closed']
  return lines.length === 1 ? [`${lines[0]} ${zone}`] : [...lines, `All times are ${zone}`]
}

/** Returns what pages show about the hours. Undefined while they are unknown. */
export function shownHours(hours: Hours | null | undefined): ShownHours | undefined {
  return hours === undefined ? undefined : { lines: hoursLines(hours), hours }
}

export function openTimes({ spans }: Hours): OpenTime[] {
  return spans.map(({ day, from, to }) => ({
    from: (day - 1) * DAY + minutes(from),
    to: (day - 1) * DAY + minutes(to),
  }))
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

/** Returns a line for each run of days with the same times. */
export function weekLines(open: readonly OpenTime[]): string[] {
  const runs: { from: number; days: number; times: string }[] = []
  const inWeek = open.map(({ from, to }) => {
    const start = (from + WEEK) % WEEK
    return { day: Math.floor(start / DAY), start, end: start + to - from }
  })
  for (const index of DAYS.keys()) {
    const times = inWeek
      .filter(({ day }) => day === index)
      .sort((a, b) => a.start - b.start)
      .map(({ start, end }) => spanText(start % DAY, (start % DAY) + end - start))
    const text = new Intl.ListFormat('en-US').format(times)
    const last = runs.at(-1)
    if (last?.times === text) last.days++
    else runs.push({ from: index, days: 1, times: text })
  }
  // A run may go on from Sunday to Monday.
  const [first, last] = [runs[0], runs.at(-1)]
  if (first && last && first !== last && first.times === last.times) {
    last.days += first.days
    runs.shift()
  }
  return runs.filter(({ times }) => times !== '').map((run) => `${daysText(run)}, ${run.times}`)
}

function daysText({ from, days }: { from: number; days: number }): string {
  const last = DAYS[(from + days - 1) % 7]
  if (days === 7) return 'Every day'
  if (days === 1) return `${last}`
  return `${DAYS[from]} ${days === 2 ? 'and' : 'to'} ${last}`
}

function spanText(from: number, to: number): string {
  if (from === 0 && to === DAY) return 'all day'
  return `${timeText(from)} to ${timeText(to)}`
}

function timeText(time: number): string {
  const hour = Math.floor(time / 60) % 24
  const minute = time % 60
  if (minute === 0 && hour % 12 === 0) return hour === 0 ? 'midnight' : 'noon'
  const shown = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`
  return `${hour % 12 || 12}${shown} ${hour < 12 ? 'AM' : 'PM'}`
}

/** Returns a name such as "Eastern Time", or the zone itself if it has only an offset. */
function zoneName(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' })
  const name = format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return name.startsWith('GMT') ? timeZone.replaceAll('_', ' ') : name
}
