import { labelKey } from '@proctorpass/shared/label-key'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { ConversationChange } from '@proctorpass/shared/schemas/inbox'

export interface LabelChange {
  added: readonly string[]
  removed: readonly string[]
}

/** The labels after a change: those that a conversation has keep their writing. */
export function changedLabels(labels: readonly string[], { added, removed }: LabelChange): string[] {
  const gone = new Set(removed.map(labelKey))
  const kept = new Map(
    labels.filter((label) => !gone.has(labelKey(label))).map((label) => [labelKey(label), label]),
  )
  for (const label of added) if (!kept.has(labelKey(label))) kept.set(labelKey(label), label)
  return [...kept.values()]
}

/** A conversation as it will be; the version stays until the server answers. */
export function withChange(
  conversation: ConversationSummary,
  { status = conversation.status, snoozedUntil, assigneeId, labels }: ConversationChange,
): ConversationSummary {
  return {
    ...conversation,
    status,
    snoozedUntil: status === 'snoozed' ? (snoozedUntil ?? conversation.snoozedUntil) : null,
    assigneeId: assigneeId === undefined ? conversation.assigneeId : assigneeId,
    labels: labels ?? conversation.labels,
    waitingSince: status === 'resolved' ? null : conversation.waitingSince,
  }
}

/** Whether the server stores a new version for a change. */
export function isChange(conversation: ConversationSummary, change: ConversationChange): boolean {
  const after = withChange(conversation, change)
  return (
    after.status !== conversation.status ||
    after.snoozedUntil !== conversation.snoozedUntil ||
    after.assigneeId !== conversation.assigneeId ||
    after.labels.length !== conversation.labels.length ||
    changedLabels(conversation.labels, { added: after.labels, removed: [] }).length !== after.labels.length
  )
}

/** What brings back the state before a change. A snooze that has ended meanwhile is not brought back. */
export function reverse(
  before: ConversationSummary,
  change: ConversationChange,
  now: number,
): ConversationChange {
  const { status, snoozedUntil, assigneeId, labels } = before
  const isOver = status === 'snoozed' && Date.parse(snoozedUntil ?? '') <= now
  return {
    ...(change.status !== undefined &&
      (status === 'snoozed' && !isOver ? { status, snoozedUntil } : { status: isOver ? 'open' : status })),
    ...(change.assigneeId !== undefined && { assigneeId }),
    ...(change.labels !== undefined && { labels }),
  }
}
