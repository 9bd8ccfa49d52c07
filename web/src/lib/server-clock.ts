/** Less than this is a slow answer, and not a wrong clock. */
const TOLERANCE_MS = 60_000

/** How far this browser's clock is ahead of the server's. */
let ahead = 0

/** Takes the Date header of an answer that just arrived. */
export function noteServerDate(date: string | null): void {
  const difference = Date.now() - Date.parse(date ?? '')
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < TOLERANCE_MS ? 0 : difference
}

/** A time of this browser's clock, in milliseconds, as the server's clock shows it. */
export const toServerTime = (time: number): number => time - ahead

export const serverNow = (): number => toServerTime(Date.now())
