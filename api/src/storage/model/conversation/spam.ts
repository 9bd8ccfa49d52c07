import type { Status } from '@proctorpass/shared/schemas/inbox'

/** What marking a conversation as spam replaced. */
export interface SpamMark {
  /** The time of the mark. */
  at: number
  /** The number of the visitor's messages at that time. A higher number means that they have written since. */
  visitorCount: number
  status: Exclude<Status, 'spam'>
  snoozedUntil: number | null
}

/** The fields of a conversation that tell whether it is spam. The mark is missing in documents without one. */
interface MaybeSpam {
  status?: Status | undefined
  spam?: SpamMark | null | undefined
  visitorCount: number
}

/**
 * Returns the status that the conversation would have if it had not been marked. The visitor's side depends on it, so
 * that a mark changes nothing there.
 */
export function unmarkedStatus({ status = 'open', spam, visitorCount }: MaybeSpam): SpamMark['status'] {
  if (status !== 'spam') return status
  return spam == null || visitorCount > spam.visitorCount ? 'open' : spam.status
}

/** Returns the status and the snooze to which taking back the mark leads. A snooze that is over leads to open. */
export function unmarked(
  conversation: MaybeSpam & { status: Status; snoozedUntil: number | null },
  at: number,
): { status: Status; snoozedUntil: number | null } {
  const { status, snoozedUntil, spam } = conversation
  if (status !== 'spam') return { status, snoozedUntil }
  const restored = unmarkedStatus(conversation)
  const until = restored === 'snoozed' ? (spam?.snoozedUntil ?? 0) : null
  return until === null || until > at
    ? { status: restored, snoozedUntil: until }
    : { status: 'open', snoozedUntil: null }
}
