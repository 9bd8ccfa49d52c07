const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The axis of durations (seconds) has one of these between two lines, or ten, a hundred, … times as many days. */
const DURATION_STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
]
const STEPS_MAX = 4

/** What a figure's values are. */
export type Unit = 'count' | 'seconds' | 'score'

/** Returns an axis's values from the lowest to at least `max`, at most five. */
export function ticksOf(max: number, unit: Unit): number[] {
  if (unit === 'score') return [1, 2, 3, 4, 5]
  const fits = (step: number) => max / step <= STEPS_MAX
  const step =
    (unit === 'seconds' && DURATION_STEPS.find(fits)) || decimalStep(unit === 'seconds' ? DAY : 1, fits)
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step)
}

/** Returns the first of 1, 2, 5, 10, 20, 50, … times `of` that fits. */
function decimalStep(of: number, fits: (step: number) => boolean): number {
  for (let power = of; ; power *= 10) {
    const step = [1, 2, 5].map((times) => times * power).find(fits)
    if (step !== undefined) return step
  }
}

/** Returns `0`, `30 s`, `15 min`, `3 h`, or `2 days` for an axis of durations, else the number. */
export function tickText(value: number, unit: Unit): string {
  if (unit !== 'seconds' || value === 0) return value.toLocaleString('en-US')
  if (value % DAY === 0) return value === DAY ? '1 day' : `${(value / DAY).toLocaleString('en-US')} days`
  if (value % HOUR === 0) return `${value / HOUR} h`
  return value % MINUTE === 0 ? `${value / MINUTE} min` : `${value} s`
}

/** Returns at most `most` of `count` places, evenly, with the first and the last one. */
export function spread(count: number, most: number): number[] {
  const length = Math.min(count, Math.max(2, most))
  if (length < 2) return count === 1 ? [0] : []
  return Array.from({ length }, (_, index) => Math.round((index * (count - 1)) / (length - 1)))
}
