import { fieldError } from '@proctorpass/shared/errors'
import { LABEL_FIELD } from '@proctorpass/shared/fields/label'
import { parseIso } from '@proctorpass/shared/iso-time'
import { labelKey } from '@proctorpass/shared/label-key'
import { LABELS_MAX, SNOOZE_MAX_MS } from '@proctorpass/shared/limits'
import { isMentioned } from '@proctorpass/shared/mention'
import type { ConversationChange, Then } from '@proctorpass/shared/schemas/inbox'
import type { InboxChange, StatusThen } from '../storage/model/conversation/inbox-changes.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin, type UserRecord } from '../storage/model/users.ts'

export const inactiveAssignee = () => fieldError('assigneeId', 'Choose an active admin')

/** Checks an admin's change. Throws an AppError `invalid-input`. */
export async function checkedChange(
  change: ConversationChange,
  { users }: Pick<Storage, 'users'>,
  now: number,
): Promise<InboxChange> {
  const { assigneeId, labels, settled } = change
  if (assigneeId != null) {
    const user = await users.findById(assigneeId)
    if (user === null || !isActiveAdmin(user)) throw inactiveAssignee()
  }
  return {
    ...statusChange(change, now),
    ...{ assigneeId, labels: labels && cleanLabels(labels), settled, upTo: settledUpTo(change) },
  }
}

/** Returns the part of the change that concerns the status. Throws an AppError `invalid-input`. */
function statusChange(
  change: ConversationChange,
  now: number,
): Pick<InboxChange, 'status' | 'snoozedUntil' | 'spam'> {
  const { status, spam } = change
  if (spam !== undefined && status !== undefined) throw fieldError('spam', 'Use either spam or a status')
  return { status, spam, snoozedUntil: snoozeEnd(change, now) }
}

/** Returns when the snooze ends; undefined if the change is no snooze. Throws an AppError `invalid-input`. */
function snoozeEnd(change: ConversationChange, now: number): number | undefined {
  const until = snoozeTime(change, now)
  if (until !== undefined && until <= now) throw snoozeOver()
  return until
}

/**
 * Returns the status that a message gives its conversation. The store judges whether the snooze is over, because a
 * message that it already has may be sent again later. Throws an AppError `invalid-input`.
 */
export function statusThen(then: Then, now: number): StatusThen {
  return { status: then.status, snoozedUntil: snoozeTime(then, now) ?? null }
}

export const snoozeOver = () => fieldError('snoozedUntil', 'Choose a time in the future')

function snoozeTime({ status, snoozedUntil }: ConversationChange, now: number): number | undefined {
  if (status !== 'snoozed') {
    if (snoozedUntil == null) return undefined
    throw fieldError('snoozedUntil', 'Only a snoozed conversation can have a time when its snooze ends')
  }
  if (snoozedUntil == null) throw fieldError('snoozedUntil', 'Choose when the snooze ends')
  const until = parseIso(snoozedUntil)
  if (until === null) throw fieldError('snoozedUntil', 'Use a date and time such as 2026-01-31T09:00:00Z')
  if (until > now + SNOOZE_MAX_MS) throw fieldError('snoozedUntil', 'Choose a time within 90 days')
  return until
}

/** Returns the newest message that a change settles, if it names one. Throws an AppError `invalid-input`. */
function settledUpTo({ settled, upTo }: ConversationChange): number | undefined {
  if (upTo !== undefined && settled !== true) {
    throw fieldError('upTo', 'Only messages that need no answer have a newest one')
  }
  return upTo
}

/** Cleans labels and removes repeated ones. Throws an AppError `invalid-input`. */
function cleanLabels(labels: readonly string[]): string[] {
  const cleaned = labels.map((label) => {
    const problem = LABEL_FIELD.problem(label)
    if (problem !== null) throw fieldError('labels', problem)
    return LABEL_FIELD.clean(label)
  })
  const unique = new Map(cleaned.toReversed().map((label) => [labelKey(label), label]))
  if (unique.size > LABELS_MAX) throw fieldError('labels', `${LABELS_MAX} labels or fewer`)
  return cleaned.filter((label) => unique.get(labelKey(label)) === label)
}

/** Returns the IDs of active admins whom the text mentions. */
export function mentionedIn(text: string, users: readonly UserRecord[]): string[] {
  return users.filter((user) => isActiveAdmin(user) && isMentioned(user.userName, text)).map(({ _id }) => _id)
}
