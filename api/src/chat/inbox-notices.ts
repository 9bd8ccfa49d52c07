import type { ScheduledChanged } from '@proctorpass/shared/events'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Scheduled } from '@proctorpass/shared/schemas/scheduled'
import type { ActivityRecord } from '../storage/model/conversation/conversation.ts'
import type { InboxChanged } from '../storage/model/conversation/inbox-changes.ts'
import type { ScheduledRecord } from '../storage/model/conversation/scheduled-records.ts'
import { toSummary } from './conversation-list.ts'
import type { Notify } from './listeners.ts'

/** Notifies listeners of a change and its entries. `at` is the present time. */
export function notifyInboxChanged(
  notify: Notify,
  { conversation, activity, scheduled }: InboxChanged,
  at: number,
): void {
  const summary = toSummary(conversation, at)
  notify((listener) => listener.conversationChanged(summary))
  for (const entry of activity) notifyActivity(notify, entry)
  if (scheduled === undefined) return
  const fact = toScheduledChanged(conversation.clientId, scheduled)
  notify((listener) => listener.scheduledChanged(fact))
}

/** Notifies listeners of an entry. */
export function notifyActivity(notify: Notify, activity: ActivityRecord): void {
  const entry = toActivity(activity)
  notify((listener) => listener.activityCreated(entry))
}

export function toActivity({ at, ...record }: ActivityRecord): Activity {
  return { ...record, at: new Date(at).toISOString() } as Activity
}

/** Returns a scheduled message as admins see it. */
export function toScheduled(clientId: string, record: ScheduledRecord): Scheduled {
  const { nonce: _id, by, message, attachments, sendAt, anyway, version } = record
  return {
    ...{ _id, clientId, by, message },
    ...(attachments.length > 0 && { attachments }),
    ...{ sendAt: new Date(sendAt).toISOString(), anyway, version },
  }
}

/** Returns the fact that tells what waits in the conversation. */
export function toScheduledChanged(
  clientId: string,
  scheduled: readonly ScheduledRecord[],
): ScheduledChanged {
  return { clientId, scheduled: scheduled.map((record) => toScheduled(clientId, record)) }
}
