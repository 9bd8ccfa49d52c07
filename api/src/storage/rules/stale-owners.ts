import type { StaleCursor } from '../port/search.ts'

/** Owners compared in one call, some milliseconds. */
export const COMPARE_AT_ONCE = 500
/** A comparison reads three lists of owners, one after the other. */
const STEPS = 3

export const FIRST_STALE: StaleCursor = { step: 0, after: '' }

/** Where comparing continues after these owners, in order of their ids; null at the end. */
export function staleAfter({ step }: StaleCursor, owners: readonly string[]): StaleCursor | null {
  const last = owners.at(-1)
  if (owners.length === COMPARE_AT_ONCE && last !== undefined) return { step, after: last }
  return step + 1 < STEPS ? { step: step + 1, after: '' } : null
}
