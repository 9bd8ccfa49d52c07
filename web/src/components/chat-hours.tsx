import type { Hours } from '@proctorpass/shared/schemas/settings'
import { useContext } from 'react'
import { ChatHoursContext } from '../lib/site-config.ts'

/** Renders nothing while the hours are unknown. */
export function ChatHours({ className }: { className?: string }) {
  const hours = useContext(ChatHoursContext)
  if (hours === undefined) return null
  return (
    <ul className={className} aria-label="Chat hours">
      {hoursLines(hours).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/**
 * Describes the opening hours in words, with one line for each run of days with the same times. Null means always open.
 */
export function hoursLines(hours: Hours | null): string[] {
  if (hours === null) return ['Write any time']
  const runs: { from: number; to: number; times: string }[] = []
  for (const [index] of DAYS.entries()) {
    const times = hours.spans
      .filter(({ day }) => day === index + 1)
      .map(({ from, to }) => `${from}–${to}`)
      .sort()
      .join(', ')
    const last = runs.at(-1)
    if (last?.times === times && last.to === index - 1) last.to = index
    else runs.push({ from: index, to: index, times })
  }
  const open = runs.filter(({ times }) => times !== '')
  if (open.length === 0) return ['The chat is closed']
  const days = ({ from, to }: { from: number; to: number }) =>
    from === to ? DAYS[from] : `${DAYS[from]} to ${DAYS[to]}`
  return [...open.map((run) => `${days(run)}: ${run.times}`), hours.timeZone.replaceAll('_', ' ')]
}
