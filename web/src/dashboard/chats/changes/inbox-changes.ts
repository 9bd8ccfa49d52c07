import { labelKey } from '@proctorpass/shared/label-key'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { ConversationChange } from '@proctorpass/shared/schemas/inbox'

export interface LabelChange {
  added: readonly string[]
  removed: readonly string[]
}

/** Returns the labels after a change. Labels that a conversation already has keep their spelling. */
export function changedLabels(labels: readonly string[], { added, removed }: LabelChange): string[] {
  const gone = new Set(removed.map(labelKey))
  const kept = new Map(
    labels.filter((label) => !gone.has(labelKey(label))).map((label) => [labelKey(label), label]),
  )
  for (const label of added) if (!kept.has(labelKey(label))) kept.set(labelKey(label), label)
  return [...kept.values()]
}

/**
 * Returns a conversation with a change. The version stays until the server answers. Only the server knows to which status
 * spam goes back, so until then it is open.
 */
export function withChange(
  conversation: ConversationSummary,
  { spam, snoozedUntil, assigneeId, labels, settled, upTo, ...change }: ConversationChange,
): ConversationSummary {
  const isTakenBack = spam === false && conversation.status === 'spam'
  const status = isTakenBack ? 'open' : (change.status ?? conversation.status)
  const { seq } = conversation.lastMessage
  const isSettled = settled === true && (upTo ?? seq) >= seq
  const isAside = status === 'resolved' || status === 'spam'
  return {
    ...conversation,
    status,
    snoozedUntil: status === 'snoozed' ? (snoozedUntil ?? conversation.snoozedUntil) : null,
    assigneeId: assigneeId === undefined ? conversation.assigneeId : assigneeId,
    labels: labels ?? conversation.labels,
    // The server knows when the visitor waits again, and whether they have written more than the list shows.
    waitingSince: isAside || isSettled ? null : conversation.waitingSince,
  }
}

/** Returns whether the server stores a new version for a change. */
export function isChange(conversation: ConversationSummary, change: ConversationChange): boolean {
  const after = withChange(conversation, change)
  return (
    after.status !== conversation.status ||
    after.snoozedUntil !== conversation.snoozedUntil ||
    after.assigneeId !== conversation.assigneeId ||
    after.labels.length !== conversation.labels.length ||
    (change.settled === true && conversation.waitingSince !== null) ||
    changedLabels(conversation.labels, { added: after.labels, removed: [] }).length !== after.labels.length
  )
}

/**
 * Returns the change that restores the state before a change. It does not restore a snooze that has ended in the
 * meantime.
 */
export function reverse(
  before: ConversationSummary,
  change: ConversationChange,
  now: number,
): ConversationChange {
  const { status, snoozedUntil, assigneeId, labels } = before
  return {
    ...statusBefore(),
    ...(change.assigneeId !== undefined && { assigneeId }),
    ...(change.labels !== undefined && { labels }),
    ...(change.settled !== undefined && { settled: !change.settled }),
  }

  function statusBefore(): ConversationChange {
    if (change.spam === false) return { status: 'spam' }
    if (change.status === undefined) return {}
    // The server restores what a mark as spam replaced.
    if (change.status === 'spam') return { spam: false }
    if (status !== 'snoozed') return { status }
    return Date.parse(snoozedUntil ?? '') <= now ? { status: 'open' } : { status, snoozedUntil }
  }
}
