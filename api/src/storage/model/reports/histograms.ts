/**
 * Counts of durations by bucket. A bucket ends 5 % above its beginning, so its middle is within 2.5 % of each of its
 * durations.
 */
export type Histogram = Record<number, number>

const GROWTH = Math.log(1.05)

/** Bucket 0 has the durations below a millisecond. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / GROWTH)
}

/** Returns the middle of a bucket in milliseconds. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.exp((bucket - 0.5) * GROWTH)
}

export function addHistogram(to: Histogram, from: Histogram): void {
  for (const bucket in from) to[bucket] = (to[bucket] ?? 0) + (from[bucket] as number)
}

/** Returns how many durations are longer, to 5 %. The given duration's own bucket does not count. */
export function countLonger(histogram: Histogram, ms: number): number {
  const longer = Object.entries(histogram).filter(([bucket]) => Number(bucket) > bucketOf(ms))
  return longer.reduce((sum, [, count]) => sum + count, 0)
}

export interface Durations {
  n: number
  /** The median in seconds. Null without durations. */
  median: number | null
  p90: number | null
}

/**
 * Returns the median and p90. For an even number, the median is the mean of the two in the middle. p90 is the nearest
 * rank.
 */
export function durationsOf(histogram: Histogram): Durations {
  const buckets = Object.keys(histogram).map(Number)
  const n = buckets.reduce((sum, bucket) => sum + (histogram[bucket] as number), 0)
  if (n === 0) return { n, median: null, p90: null }
  /** Returns the duration at a rank, because integer keys are in ascending order. */
  const at = (rank: number) => {
    let before = 0
    const found = buckets.find((bucket) => {
      before += histogram[bucket] as number
      return before >= rank
    })
    return middleOf(found ?? 0)
  }
  const median = (at(Math.floor((n + 1) / 2)) + at(Math.ceil((n + 1) / 2))) / 2
  return { n, median: seconds(median), p90: seconds(at(Math.ceil(0.9 * n))) }
}

/** Returns seconds, rounded to milliseconds. */
const seconds = (ms: number) => Math.round(ms) / 1_000
