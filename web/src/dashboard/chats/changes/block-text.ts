import { snoozeTime } from './snooze-times.ts'

/** Returns "Blocked until 4:30 PM", "Blocked permanently", or an empty text when no block is in force. */
export function blockText(blockedUntil: string | null | undefined, now: number): string {
  if (blockedUntil === 'forever') return 'Blocked permanently'
  // A server of the release before does not say it.
  if (blockedUntil == null || Date.parse(blockedUntil) <= now) return ''
  return `Blocked until ${snoozeTime(blockedUntil, now)}`
}
