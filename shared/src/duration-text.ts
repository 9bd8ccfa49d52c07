import type { ReportDurations } from './schemas/report.ts'

/** With fewer waits, a median says too little. */
const WAITS_MIN = 5

/** Returns `48 s`, `12 min`, `3.5 h`, or `2.1 days`, or a dash if there is no value. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 1) return 'under 1 s'
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${(seconds / 3_600).toFixed(1)} h`
  return `${(seconds / 86_400).toFixed(1)} days`
}

/** Returns null if there are too few waits. */
export function shown(durations: ReportDurations, of: 'median' | 'p90'): number | null {
  return durations.n < WAITS_MIN ? null : durations[of]
}
