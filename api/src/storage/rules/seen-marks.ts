import type { SeenMark } from '../port/seen-marks.ts'

/** The mark after both; null when `wanted` moves nothing. */
export function movedMark(before: SeenMark | undefined, wanted: SeenMark): SeenMark | null {
  if (before?.epoch !== wanted.epoch) return wanted.seq > 0 || wanted.n > 0 ? wanted : null
  if (wanted.seq <= before.seq && wanted.n <= before.n) return null
  return { ...wanted, seq: Math.max(before.seq, wanted.seq), n: Math.max(before.n, wanted.n) }
}
