/** The messages that a conversation's row holds until they are sent. */

import type { Attachment } from '@proctorpass/shared/schemas/attachment'

/** A message that waits until it is sent. */
export interface ScheduledRecord {
  /** The nonce of the message, which is also the ID of the waiting one. */
  nonce: string
  /** The admin who changed the words last. The message is sent by them. */
  by: string
  message: string
  /** The files, which belong to the message while it waits. */
  attachments: Attachment[]
  sendAt: number
  /** Whether a message of the visitor leaves it waiting. */
  anyway: boolean
  /** Begins with 1 and increases by 1 with each change. */
  version: number
  /**
   * A process is about to store the message, so no admin can change it. Only MongoDB needs this, because a message and its
   * conversation are two documents there.
   */
  sending?: true
  /** The message was overdue in a backup, and was perhaps sent after the backup was made. */
  missed?: true
}

/** What waits, the earliest first. Null if nothing waits. */
export type WaitingMessages = readonly ScheduledRecord[] | null

/**
 * Returns the message with its fields in one order, because copies are compared by their JSON. Some servers store true as
 * 1 in updates.
 */
export function scheduledRecord({ nonce, by, message, ...record }: ScheduledRecord): ScheduledRecord {
  const { attachments, sendAt, anyway, version, sending, missed } = record
  return {
    ...{ nonce, by, message, attachments, sendAt, anyway: Boolean(anyway), version },
    ...(sending && { sending: true }),
    ...(missed && { missed: true }),
  }
}

/** Returns what waits as a copy has it. A claim is not copied, because no process holds it there. */
export function copiedMessages(scheduled: WaitingMessages | undefined): WaitingMessages {
  return scheduled?.map(({ sending: _, ...record }) => scheduledRecord(record)) ?? null
}

/** Returns whether this version of a message waits. */
export function isWaiting(
  scheduled: WaitingMessages | undefined,
  { nonce, scheduled: version }: { nonce: string; scheduled?: number | undefined },
): boolean {
  return scheduled?.some((each) => each.nonce === nonce && each.version === version) ?? false
}

/** Returns the field's value for these messages. */
export function waitingMessages(messages: readonly ScheduledRecord[]): WaitingMessages {
  return messages.length === 0 ? null : messages.toSorted((a, b) => a.sendAt - b.sendAt)
}

/** Returns the messages whose time has come, the earliest first. */
export function dueMessages(scheduled: WaitingMessages, now: number): ScheduledRecord[] {
  return (scheduled ?? []).filter(({ sendAt }) => sendAt <= now).sort((a, b) => a.sendAt - b.sendAt)
}

/**
 * Returns what waits in a restored conversation. Whether an overdue message was sent after the backup was made is unknown,
 * so it is not sent.
 */
export function restoredMessages(scheduled: WaitingMessages, now: number): WaitingMessages {
  const restored = scheduled?.map((record) =>
    record.sendAt <= now ? scheduledRecord({ ...record, missed: true }) : record,
  )
  return waitingMessages(restored ?? [])
}
