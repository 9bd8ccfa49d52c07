import { BLOCK_HOURS_MAX, INVITE_HOURS, PREVIEW_DAYS } from '@proctorpass/shared/limits'

const HOUR_MS = 3_600_000

/** The fields with times that are never later than now, by table. */
export const PAST_TIMES = {
  sessions: ['usedAt', 'confirmedAt'],
  messages: ['createdAt'],
  blogs: ['createdAt', 'updatedAt'],
  reviews: ['createdAt'],
  contacts: ['createdAt'],
  texts: ['at'],
  versions: ['at'],
  conversations: ['lastAt', 'waitingSince'],
  attachments: ['createdAt'],
  activity: ['at'],
  answers: ['at'],
} as const

/** Returns whether a row counts as repaired when this field is changed. */
export function isCounted(table: string, field: string): boolean {
  return field === 'createdAt' && table !== 'attachments'
}

/** Returns the latest ends for blocks, invitations, and links to previews that begin now. A permanent block has another end. */
export function latestEnds(now: number) {
  return {
    blockedUntil: now + BLOCK_HOURS_MAX * HOUR_MS,
    inviteExpiresAt: now + INVITE_HOURS * HOUR_MS,
    previewExpiresAt: now + PREVIEW_DAYS * 24 * HOUR_MS,
  }
}
