/** A smaller difference means a slow answer, not a wrong clock. */
const TOLERANCE_MS = 60_000

/** How far this browser's clock is ahead of the server's, in milliseconds. */
let ahead = 0

/** Reads the Date header of an answer that has just arrived. */
export function noteServerDate(date: string | null): void {
  const difference = Date.now() - Date.parse(date ?? '')
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < TOLERANCE_MS ? 0 : difference
}

/** Converts a time on this browser's clock, in milliseconds, to the server's clock. */
export const toServerTime = (time: number): number => time - ahead

export const serverNow = (): number => toServerTime(Date.now())
