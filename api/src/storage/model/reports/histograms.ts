/**
 * Counts of durations by bucket. A bucket ends 5 % above its beginning, so its middle is within 2.5 % of each duration.
 */
export type Histogram = Record<number, number>

const GROWTH = Math.log(1.05)

/** Bucket 0 has the durations below a millisecond. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / GROWTH)
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.exp((bucket - 0.5) * GROWTH)
}

export function addHistogram(to: Histogram, from: Histogram): void {
  for (const bucket in from) to[bucket] = (to[bucket] ?? 0) + (from[bucket] as number)
}

/** How many are longer, to 5 %. The bucket that the duration is in does not count. */
export function countLonger(histogram: Histogram, ms: number): number {
  const longer = Object.entries(histogram).filter(([bucket]) => Number(bucket) > bucketOf(ms))
  return longer.reduce((sum, [, count]) => sum + count, 0)
}

export interface Durations {
  n: number
  /** Seconds; null without any. */
  median: number | null
  p90: number | null
}

/** The median is the mean of the two in the middle of an even number, p90 the nearest rank. */
export function durationsOf(histogram: Histogram): Durations {
  const buckets = Object.keys(histogram).map(Number)
  const n = buckets.reduce((sum, bucket) => sum + (histogram[bucket] as number), 0)
  if (n === 0) return { n, median: null, p90: null }
  /** Keys that are integers are in ascending order. */
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

/** Seconds, rounded to milliseconds. */
const seconds = (ms: number) => Math.round(ms) / 1_000
