/** What a change of the inbox means, for both adapters. Pure, so that a write can decide again after it lost a race. */

import { labelKey } from '@proctorpass/shared/label-key'
import type { ActivityRecord, InboxChange, InboxRecord } from './inbox.ts'

export type NewEntry = Pick<ActivityRecord, 'kind' | 'data'>

/** The state after a change, and an entry for each kind that changed; null when nothing does. */
export function applyChange(
  before: InboxRecord,
  change: InboxChange,
): { after: InboxRecord; entries: NewEntry[] } | null {
  const entries: NewEntry[] = []
  const status = change.status ?? before.status
  const snoozedUntil =
    status !== 'snoozed'
      ? null
      : change.status === 'snoozed'
        ? (change.snoozedUntil ?? null)
        : before.snoozedUntil
  if (status !== before.status || snoozedUntil !== before.snoozedUntil) {
    const until = snoozedUntil === null ? {} : { until: new Date(snoozedUntil).toISOString() }
    entries.push({ kind: 'status', data: { from: before.status, to: status, ...until } })
  }
  const assigneeId = change.assigneeId === undefined ? before.assigneeId : change.assigneeId
  if (assigneeId !== before.assigneeId) {
    entries.push({ kind: 'assignee', data: { from: before.assigneeId, to: assigneeId } })
  }
  const labels = change.labels === undefined ? before.labels : mergeLabels(before.labels, change.labels)
  const added = without(labels, before.labels)
  const removed = without(before.labels, labels)
  if (added.length > 0 || removed.length > 0) entries.push({ kind: 'labels', data: { added, removed } })
  if (entries.length === 0) return null
  return { after: { status, snoozedUntil, assigneeId, labels, version: before.version + 1 }, entries }
}

/**
 * The change that a message makes; null when it makes none. `adminId`: its sender, null for the visitor. A visitor's
 * message reopens, an admin's takes a conversation that is not assigned.
 */
export function changeByMessage(
  { status, assigneeId }: Pick<InboxRecord, 'status' | 'assigneeId'>,
  adminId: string | null,
): InboxChange | null {
  if (adminId === null) return status === 'open' ? null : { status: 'open' }
  return assigneeId === null ? { assigneeId: adminId } : null
}

/**
 * What some messages change together, each change under a version of its own: whether one is the visitor's, and the first
 * admin who wrote one.
 */
export function changesByMessages(
  before: InboxRecord,
  { ofVisitor, adminId }: { ofVisitor: boolean; adminId: string | null },
): { after: InboxRecord; entries: (NewEntry & { by: string | null })[] } {
  let after = before
  const entries: (NewEntry & { by: string | null })[] = []
  for (const by of [...(ofVisitor ? [null] : []), ...(adminId === null ? [] : [adminId])]) {
    const change = changeByMessage(after, by)
    const applied = change && applyChange(after, change)
    if (applied === null) continue
    after = applied.after
    entries.push(...applied.entries.map((entry) => ({ ...entry, by })))
  }
  return { after, entries }
}

/** Whether an admin undoes a resolve: then what was not answered waits again. `by`: null for a visitor's message. */
export function isUndoneResolve(before: InboxRecord, after: InboxRecord, by: string | null): boolean {
  return before.status === 'resolved' && after.status !== 'resolved' && by !== null
}

/** Whether a change resolves the conversation: it may be rated again. */
export function isResolved(before: InboxRecord, after: InboxRecord): boolean {
  return before.status !== 'resolved' && after.status === 'resolved'
}

/** The wanted labels once each, those that the conversation has in their first writing. */
function mergeLabels(before: readonly string[], wanted: readonly string[]): string[] {
  const known = new Map(before.map((label) => [labelKey(label), label]))
  const merged = new Map<string, string>()
  for (const label of wanted) {
    const key = labelKey(label)
    if (!merged.has(key)) merged.set(key, known.get(key) ?? label)
  }
  return [...merged.values()]
}

function without(labels: readonly string[], others: readonly string[]): string[] {
  const keys = new Set(others.map(labelKey))
  return labels.filter((label) => !keys.has(labelKey(label)))
}
