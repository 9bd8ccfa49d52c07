import { BLOCK_HOURS_MAX, INVITE_HOURS } from '@proctorpass/shared/limits'

const HOUR_MS = 3_600_000

/** Times that are never later than now, by table. */
export const PAST_TIMES = {
  sessions: ['usedAt', 'confirmedAt'],
  messages: ['createdAt'],
  blogs: ['createdAt', 'updatedAt'],
  reviews: ['createdAt'],
  contacts: ['createdAt'],
  conversations: ['lastAt', 'waitingSince'],
  attachments: ['createdAt'],
  activity: ['at'],
  answers: ['at'],
} as const

/** Whether a row with another value of this field counts as repaired. */
export function isCounted(table: string, field: string): boolean {
  return field === 'createdAt' && table !== 'attachments'
}

/** The latest ends that something can have that begins now. A block for good has another one. */
export function latestEnds(now: number) {
  return {
    blockedUntil: now + BLOCK_HOURS_MAX * HOUR_MS,
    inviteExpiresAt: now + INVITE_HOURS * HOUR_MS,
  }
}
