import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { MESSAGE_FIELD } from '@proctorpass/shared/fields/message'
import { parseIso } from '@proctorpass/shared/iso-time'
import { SCHEDULE_MAX_MS, SCHEDULED_MAX } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { PatchScheduled, PostScheduled, Scheduled } from '@proctorpass/shared/schemas/scheduled'
import type { Caller } from '../auth/caller.ts'
import type { ScheduledStored } from '../storage/model/conversation/scheduled.ts'
import type { Storage } from '../storage/model/storage.ts'
import { createSendDue, isActiveSender } from './due-messages.ts'
import { notifyActivity, toScheduled, toScheduledChanged } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { adminIn } from './permissions.ts'
import { fileUsed, type SendScheduled, unknownFile, wrongFile } from './send.ts'

interface ScheduledDeps {
  storage: Pick<Storage, 'inbox' | 'users' | 'apiKeys'>
  now: () => number
  notify: Notify
  sendScheduled: SendScheduled
}

/** The use cases for messages that are sent later. Each method throws an AppError `forbidden` for a visitor. */
export function createScheduled({ storage, now, notify, sendScheduled }: ScheduledDeps) {
  const { inbox } = storage

  function notifyStored(clientId: string, { activity, scheduled }: ScheduledStored): void {
    notifyActivity(notify, activity)
    notify((listener) => listener.scheduledChanged(toScheduledChanged(clientId, scheduled)))
  }

  const isActive = (by: string) => isActiveSender(by, storage, now())

  return {
    /**
     * Schedules a message. `repeated` means that its nonce was already scheduled, perhaps sent or canceled since. Throws
     * an AppError `not-found`, `invalid-input`, or `conflict`.
     */
    async create(
      caller: Caller,
      clientId: string,
      { nonce, message, attachments = [], sendAt, anyway = false }: PostScheduled,
    ): Promise<{ scheduled: Scheduled; repeated: boolean }> {
      const { userId: by } = adminIn(caller)
      if (new Set(attachments).size < attachments.length) throw wrongFile('A file is named twice.')
      const at = now()
      const text = cleanText(message, attachments.length > 0)
      const wanted = { clientId, nonce, by, message: text, attachments, anyway, at }
      const stored = await inbox.schedule({ ...wanted, sendAt: timeOf(sendAt, at) })
      switch (stored.outcome) {
        case 'missing':
          throw new AppError('not-found', 'Conversation not found.')
        case 'past':
          throw fieldError('sendAt', 'Choose a time in the future')
        case 'spam':
          throw new AppError('conflict', 'This conversation is spam. Choose “Not spam” first.')
        case 'full':
          throw new AppError(
            'conflict',
            `${SCHEDULED_MAX} messages are already scheduled in this conversation. Send or cancel one first.`,
          )
        case 'nonce-taken':
          throw new AppError('conflict', 'This message was already scheduled or sent with different words.')
        case 'unknown-file':
          throw unknownFile()
        case 'file-used':
          throw fileUsed()
        case 'repeated': {
          const { record, entry, message: sent } = stored
          if (record !== null) return { scheduled: toScheduled(clientId, record), repeated: true }
          const first = entry.data as { sendAt: string }
          const words = sent?.message ?? text
          const known = { _id: nonce, clientId, by, message: words, sendAt: first.sendAt, anyway, version: 1 }
          return { scheduled: known, repeated: true }
        }
        case 'stored':
          notifyStored(clientId, stored)
          return { scheduled: toScheduled(clientId, stored.record), repeated: false }
      }
    },

    /** Returns what waits, the earliest first. */
    async list(caller: Caller, clientId: string): Promise<Scheduled[]> {
      adminIn(caller)
      return (await inbox.scheduled(clientId)).map((record) => toScheduled(clientId, record))
    },

    /** Changes a message. Throws an AppError `not-found`, `invalid-input`, or `conflict`. */
    async change(
      caller: Caller,
      clientId: string,
      id: string,
      { message, sendAt, anyway, version }: PatchScheduled,
    ): Promise<Scheduled> {
      const { userId: by } = adminIn(caller)
      const at = now()
      const before = (await inbox.scheduled(clientId)).find(({ nonce }) => nonce === id)
      const hasFiles = (before?.attachments.length ?? 0) > 0
      const text = message === undefined ? undefined : cleanText(message, hasFiles)
      const time = sendAt === undefined ? undefined : timeOf(sendAt, at)
      const change = { message: text, sendAt: time, anyway, version }
      const changed = await inbox.reschedule(clientId, id, change, { by, at })
      switch (changed.outcome) {
        case 'past':
          throw fieldError('sendAt', 'Choose a time in the future')
        case 'stale':
          throw new AppError('conflict', 'A teammate changed this message. Check it, then try again.')
        case 'missing':
        case 'sending':
        case 'sent':
          throw gone(changed.outcome)
        case 'unchanged':
          return toScheduled(clientId, changed.record)
        case 'stored':
          notifyStored(clientId, changed)
          return toScheduled(clientId, changed.record)
      }
    },

    /** Cancels a message. Throws an AppError `not-found`, or `conflict` if it was sent. */
    async cancel(caller: Caller, clientId: string, id: string): Promise<void> {
      const { userId: by } = adminIn(caller)
      const canceled = await inbox.unschedule(clientId, id, { reason: 'admin', by, at: now() })
      if (canceled.outcome !== 'stored') throw gone(canceled.outcome)
      notifyStored(clientId, canceled)
    },

    /**
     * Sends a message now, by the admin who wrote it; `repeated` if it was already sent. Throws an AppError `not-found`,
     * or `conflict` if its sender may not send messages anymore.
     */
    async send(
      caller: Caller,
      clientId: string,
      id: string,
    ): Promise<{ message: Message; repeated: boolean }> {
      adminIn(caller)
      const record = (await inbox.scheduled(clientId)).find(({ nonce }) => nonce === id)
      if (record !== undefined) {
        if (!(await isActive(record.by))) {
          throw new AppError(
            'conflict',
            'The admin who wrote this message is disabled. Change its words to send it yourself.',
          )
        }
        const sent = await sendScheduled(clientId, record)
        if (sent !== null) return sent
        const isChanged = (await inbox.scheduled(clientId)).some(({ nonce }) => nonce === id)
        if (isChanged)
          throw new AppError('conflict', 'A teammate changed this message. Check it, then try again.')
      }
      const message = await inbox.messageUnder(clientId, id)
      const wasScheduled = message !== null && message.senderId !== clientId
      if (!wasScheduled) throw gone('missing')
      return { message, repeated: true }
    },

    sendDue: createSendDue({ storage, now, sendScheduled, notifyStored }),
  }
}

export type ScheduledUseCases = ReturnType<typeof createScheduled>

/** Returns the words as they are sent. Only a message with files may have none. Throws an AppError `invalid-input`. */
function cleanText(message: string, hasFiles: boolean): string {
  if (hasFiles && MESSAGE_FIELD.clean(message) === '') return ''
  return checkFields({ message: MESSAGE_FIELD }, { message }).message
}

/**
 * Returns the time. The store judges whether it is past, because a message that was already scheduled may be scheduled
 * again later. Throws an AppError `invalid-input`.
 */
function timeOf(sendAt: string, now: number): number {
  const time = parseIso(sendAt)
  if (time === null) throw fieldError('sendAt', 'Use a date and time such as 2026-01-31T09:00:00Z')
  if (time > now + SCHEDULE_MAX_MS) throw fieldError('sendAt', 'Choose a time within 90 days')
  return time
}

function gone(outcome: 'missing' | 'sending' | 'sent'): AppError {
  return outcome === 'missing'
    ? new AppError('not-found', 'This message is not scheduled anymore.')
    : new AppError('conflict', 'This message was already sent.')
}
