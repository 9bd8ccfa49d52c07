/** Decides for both adapters on messages that are sent later. A conversation's row holds those that wait. */

import { SCHEDULED_MAX } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { CancelReason, Status } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord, Conversation, NewEntry, ToStore } from './conversation.ts'
import {
  type ScheduledRecord,
  scheduledRecord,
  type WaitingMessages,
  waitingMessages,
} from './scheduled-records.ts'

export interface NewScheduled {
  clientId: string
  nonce: string
  by: string
  message: string
  /** The IDs of the admin's uploaded files. */
  attachments: readonly string[]
  sendAt: number
  anyway: boolean
  at: number
}

export interface ScheduledChange {
  version: number
  message?: string | undefined
  sendAt?: number | undefined
  anyway?: boolean | undefined
}

/** The entry that a change added, and what waits after it. */
export interface ScheduledStored {
  activity: ActivityRecord
  scheduled: ScheduledRecord[]
}

export type Scheduled =
  | ({ outcome: 'stored'; record: ScheduledRecord } & ScheduledStored)
  /** This nonce was scheduled before. `record` is null if it does not wait anymore, and `message` is what was sent. */
  | { outcome: 'repeated'; record: ScheduledRecord | null; entry: ActivityRecord; message: Message | null }
  | { outcome: ScheduleRefusal }

type ScheduleRefusal =
  | 'missing'
  /** The nonce belongs to a message, or to other words. */
  | 'nonce-taken'
  | 'spam'
  | 'full'
  /** The time is not in the future. */
  | 'past'
  | 'unknown-file'
  | 'file-used'

export type Rescheduled =
  | ({ outcome: 'stored'; record: ScheduledRecord } & ScheduledStored)
  | { outcome: 'unchanged'; record: ScheduledRecord }
  | { outcome: 'missing' | 'sending' | 'stale' | 'past' | 'sent' }

export type Unscheduled =
  | ({ outcome: 'stored' } & ScheduledStored)
  | { outcome: 'missing' | 'sending' | 'sent' }

export interface Cancel {
  reason: CancelReason
  /** The admin, or null for the system. */
  by: string | null
  at: number
  /** When given, only this version is canceled. */
  version?: number
}

/** The messages of a conversation that are due. */
export interface DueMessages {
  clientId: string
  status: Status
  due: ScheduledRecord[]
}

/** Returns the nonce of the entry that says that a message was scheduled. It is known as long as the log is. */
export const scheduledEntryNonce = (nonce: string) => `scheduled-${nonce}`

type Waits = { scheduled: WaitingMessages }

const isoOf = (at: number) => new Date(at).toISOString()

/**
 * Decides on a new message. `entry` is the entry under its nonce, `message` the message under its nonce, and `files` are
 * its files or the reason why it can't have them.
 */
export function decideSchedule(
  { seq, status, scheduled }: Conversation,
  { nonce, by, message: text, sendAt, anyway, at }: NewScheduled,
  found: {
    entry: ActivityRecord | null
    message: Message | null
    files: Attachment[] | 'unknown-file' | 'file-used'
  },
): Exclude<Scheduled, { outcome: 'stored' }> | ToStore<Waits> {
  const { entry, message, files } = found
  if (seq === 0) return { outcome: 'missing' }
  const record = scheduled?.find((each) => each.nonce === nonce) ?? null
  if (entry !== null) {
    const isOther = record?.version === 1 && record.message !== text
    if (entry.kind !== 'scheduled' || entry.by !== by || isOther) return { outcome: 'nonce-taken' }
    return { outcome: 'repeated', record, entry, message }
  }
  if (message !== null) return { outcome: 'nonce-taken' }
  if (status === 'spam') return { outcome: 'spam' }
  if (sendAt <= at) return { outcome: 'past' }
  if (typeof files === 'string') return { outcome: files }
  const before = scheduled ?? []
  if (before.length >= SCHEDULED_MAX) return { outcome: 'full' }
  const added = { nonce, by, message: text, attachments: files, sendAt, anyway, version: 1 }
  return {
    outcome: 'stored',
    set: { scheduled: waitingMessages([...before, added]) },
    entries: [
      {
        ...{ kind: 'scheduled', by, at, nonce: scheduledEntryNonce(nonce) },
        data: { action: 'created', sendAt: isoOf(sendAt) },
      },
    ],
  }
}

/** Decides on a change. `message` is the message under the nonce. */
export function decideReschedule(
  { scheduled }: Conversation,
  nonce: string,
  change: ScheduledChange,
  { by, at, message }: { by: string; at: number; message: Message | null },
): Exclude<Rescheduled, { outcome: 'stored' }> | ToStore<Waits> {
  const record = scheduled?.find((each) => each.nonce === nonce)
  if (record === undefined) return { outcome: message === null ? 'missing' : 'sent' }
  if (record.sending) return { outcome: 'sending' }
  const { version, message: text = record.message, sendAt = record.sendAt, anyway = record.anyway } = change
  if (version !== record.version) return { outcome: 'stale' }
  const isMoved = sendAt !== record.sendAt
  if (isMoved && sendAt <= at) return { outcome: 'past' }
  const isReworded = text !== record.message
  if (!isMoved && !isReworded && anyway === record.anyway) return { outcome: 'unchanged', record }
  const { missed, ...kept } = record
  const changed = scheduledRecord({
    ...kept,
    ...(missed && !isMoved && { missed }),
    ...{ by: isReworded ? by : record.by, message: text, sendAt, anyway, version: version + 1 },
  })
  return {
    outcome: 'stored',
    set: { scheduled: waitingMessages((scheduled ?? []).map((each) => (each === record ? changed : each))) },
    entries: [{ kind: 'scheduled', by, at, data: { action: 'changed', sendAt: isoOf(sendAt) } }],
  }
}

/**
 * Decides on a cancel. `message` is the message under the nonce. Only the system cancels what a process has claimed, when
 * that process had an hour to store it.
 */
export function decideUnschedule(
  { scheduled }: Conversation,
  nonce: string,
  { reason, by, at, version }: Cancel,
  message: Message | null,
): Exclude<Unscheduled, { outcome: 'stored' }> | ToStore<Waits> {
  const record = scheduled?.find((each) => each.nonce === nonce)
  if (record === undefined) return { outcome: message === null ? 'missing' : 'sent' }
  if (record.sending && reason === 'admin') return { outcome: 'sending' }
  if (version !== undefined && version !== record.version) return { outcome: 'missing' }
  return {
    outcome: 'stored',
    set: { scheduled: waitingMessages((scheduled ?? []).filter((each) => each !== record)) },
    entries: [canceledEntry(record, reason, by, at)],
  }
}

function canceledEntry(
  { sendAt, message: text }: ScheduledRecord,
  reason: CancelReason,
  by: string | null,
  at: number,
): NewEntry {
  return { kind: 'scheduled', by, at, data: { action: 'canceled', sendAt: isoOf(sendAt), reason, text } }
}

/**
 * Returns what a stored message does to the waiting ones, or null if it does nothing: a message that was scheduled does
 * not wait anymore, and a visitor's message cancels those that were not to be sent anyway. `by` is the sender, null for
 * the visitor.
 */
export function scheduledAfter(
  before: WaitingMessages,
  { nonce, by, at }: { nonce: string; by: string | null; at: number },
): { scheduled: WaitingMessages; entries: NewEntry[] } | null {
  if (before === null) return null
  const unsent = before.filter((each) => each.nonce !== nonce)
  const kept = by === null ? unsent.filter(({ anyway }) => anyway) : unsent
  if (kept.length === before.length) return null
  const canceled = unsent.filter((each) => !kept.includes(each))
  return {
    scheduled: waitingMessages(kept),
    entries: canceled.map((each) => canceledEntry(each, 'visitor', null, at)),
  }
}
