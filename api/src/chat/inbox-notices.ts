import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord } from '../storage/model/conversation/conversation.ts'
import type { InboxChanged } from '../storage/model/conversation/inbox-changes.ts'
import { toSummary } from './conversation-list.ts'
import type { Notify } from './listeners.ts'

/** Notifies listeners of a change and its entries. `at` is the present time. */
export function notifyInboxChanged(
  notify: Notify,
  { conversation, activity }: InboxChanged,
  at: number,
): void {
  const summary = toSummary(conversation, at)
  notify((listener) => listener.conversationChanged(summary))
  for (const entry of activity) notifyActivity(notify, entry)
}

/** Notifies listeners of an entry. */
export function notifyActivity(notify: Notify, activity: ActivityRecord): void {
  const entry = toActivity(activity)
  notify((listener) => listener.activityCreated(entry))
}

export function toActivity({ at, ...record }: ActivityRecord): Activity {
  return { ...record, at: new Date(at).toISOString() } as Activity
}
