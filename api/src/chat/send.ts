import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { MESSAGE_FIELD } from '@proctorpass/shared/fields/message'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { Caller } from '../auth/caller.ts'
import { claimedLimitKey } from '../auth/visitor-key.ts'
import { type Limits, pointsForFile, pointsToStore } from '../limits/limits.ts'
import type { Sites } from '../sites/sites.ts'
import { type Appended, isStored } from '../storage/model/conversation/messages.ts'
import type { ScheduledRecord } from '../storage/model/conversation/scheduled-records.ts'
import { newId } from '../storage/model/ids.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { blockedError } from './blocks.ts'
import { snoozeOver, statusThen } from './inbox-fields.ts'
import { notifyInboxChanged } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { keyOf, REFUSED_POINTS, senderIn, wrongKey } from './permissions.ts'
import type { Ratings } from './ratings.ts'

/** The limit for one conversation: years of writing, and at most 800 MB of the longest messages. */
export const VISITOR_MESSAGES_MAX = 50_000

export interface SendInput {
  clientId: string
  message: string
  nonce?: string | undefined
  epoch?: string | undefined
  /** The IDs of files that the caller uploaded. With files the text may be empty. */
  attachments?: readonly string[] | undefined
  /** The status that an admin gives the conversation with the message. A visitor's is ignored. */
  then?: Then | undefined
  /** The ID of the site whose frame the visitor uses; ignored if it is unknown. */
  site?: string | undefined
  /** If given, this must be the caller's ID; it is never stored. */
  senderId?: string | undefined
}

/** Resolves when the message is durable. `repeated` means that it was already stored under this nonce. */
export type Send = (caller: Caller, input: SendInput) => Promise<{ message: Message; repeated: boolean }>

interface SendDeps {
  storage: Storage
  limits: Pick<Limits, 'take' | 'charge' | 'refund'>
  /** Finds a site, as `Sites` does. */
  findSite: Sites['find']
  supportEmail: string
  now: () => number
  notify: Notify
  unreadChanged: (clientId: string, adminUnread: number) => void
  ratings: Pick<Ratings, 'followMessage'>
  /** Makes the job that a message causes; it is stored with the message. */
  jobOf: JobOfMessage
  /** Called when an admin's message ended a visitor's wait. Never rejects. */
  answered: (waitedSince: number, at: number) => void
}

/**
 * Makes the job for a message at its time of arrival; null for no job. `address` belongs to the visitor who wrote the
 * message, and is null for an admin's message.
 */
export type JobOfMessage = (message: {
  clientId: string
  address: string | null
  at: number
}) => NewJob | null | Promise<NewJob | null>

/** What a visitor wrote in a mail. The caller of `Receive` has verified the sender. */
export interface ReceivedText {
  clientId: string
  /** The epoch of the history that the mail answers. */
  epoch: string
  text: string
  /** The quoted text; empty if there is none. */
  quoted: string
  attachments: readonly string[]
  nonce: string
  /** The sender's address; null if no admin is to be notified. */
  from: string | null
}

/** Stores a mail as the visitor's message, once for each nonce. */
export type Receive = (
  received: ReceivedText,
) => Promise<
  | { outcome: 'stored' | 'repeated'; message: Message }
  | { outcome: 'nonce-taken' | 'stale-epoch' | 'blocked' | 'full' | 'unknown-file' | 'file-used' }
>

/**
 * Sends a scheduled message in the version that the caller read, once; null if it does not wait in this version. It
 * resolves when the message is durable.
 */
export type SendScheduled = (
  clientId: string,
  scheduled: ScheduledRecord,
) => Promise<{ message: Message; repeated: boolean } | null>

export function createSend(deps: SendDeps): {
  send: Send
  receive: Receive
  sendScheduled: SendScheduled
} {
  const { storage, limits, findSite, supportEmail, now, notify, unreadChanged, ratings, jobOf, answered } =
    deps

  async function takeLimits(caller: Caller, text: string, epoch: string | undefined): Promise<void> {
    if (caller.side !== 'visitor') return
    await limits.take('send', claimedLimitKey(caller))
    // A caller that names an epoch has read the conversation, so it exists.
    if (epoch === undefined && (await storage.conversations.find(caller.clientId)) === null) {
      await limits.take('conversation', caller.address)
    }
    await limits.take('stored', caller.address, pointsToStore(text))
  }

  async function siteOf(caller: Caller, siteId: string | undefined): Promise<ConversationSite | null> {
    if (caller.side !== 'visitor' || siteId === undefined) return null
    const site = await findSite(siteId)
    return site && { _id: site._id, name: site.name }
  }

  function notifyStored(stored: Extract<Appended, { outcome: 'stored' }>, except: string | undefined): void {
    const { message, state, keyAdded, inboxChanged, waitedSince } = stored
    const { clientId, keyHashes } = state
    if (keyAdded) notify((listener) => listener.keyAdded(clientId, keyHashes))
    notify((listener) => listener.messageCreated(message, except, keyHashes))
    if (inboxChanged !== null) notifyInboxChanged(notify, inboxChanged, now())
    if (waitedSince !== null) answered(waitedSince, Date.parse(message.createdAt))
    if (message.senderId !== clientId) return
    if (state.spam === null) unreadChanged(clientId, state.adminUnread)
    else ratings.followMessage(state)
  }

  const receive: Receive = async ({ clientId, epoch, text, quoted, attachments, nonce, from }) => {
    const at = now()
    const appended = await storage.messages.append({
      ...{ clientId, senderId: clientId, message: text, attachments, nonce, epoch, at },
      mail: { quoted },
      visitorMessagesMax: VISITOR_MESSAGES_MAX,
      job: from === null ? null : await jobOf({ clientId, address: from, at }),
    })
    if (appended.outcome === 'wrong-key') throw new Error('A mail needs no key.')
    if (appended.outcome === 'snooze-over') throw new Error('A mail snoozes nothing.')
    if (appended.outcome === 'unscheduled') throw new Error('A mail was not scheduled.')
    if (appended.outcome === 'stored') notifyStored(appended, undefined)
    return appended
  }

  const sendScheduled: SendScheduled = async (clientId, scheduled) => {
    const { nonce, by: senderId, message, attachments, version } = scheduled
    const at = now()
    const appended = await storage.messages.append({
      ...{ clientId, senderId, message, nonce, scheduled: version, at },
      attachments: attachments.map(({ _id }) => _id),
      job: await jobOf({ clientId, address: null, at }),
    })
    if (appended.outcome === 'unscheduled') return null
    if (!isStored(appended)) throw new Error(`A scheduled message was refused: ${appended.outcome}.`)
    if (appended.outcome === 'stored') notifyStored(appended, undefined)
    return { message: appended.message, repeated: appended.outcome === 'repeated' }
  }

  const send: Send = async (caller, input) => {
    const senderId = senderIn(caller, input.clientId)
    if (input.senderId !== undefined && input.senderId !== senderId) {
      throw new AppError('forbidden', 'You can send messages only as yourself.')
    }
    const { attachments = [] } = input
    if (new Set(attachments).size < attachments.length) throw wrongFile('A file is named twice.')
    const isEmpty = attachments.length > 0 && MESSAGE_FIELD.clean(input.message) === ''
    const text = isEmpty ? '' : checkFields({ message: MESSAGE_FIELD }, input).message
    const at = now()
    const then = caller.side === 'admin' && input.then ? statusThen(input.then, at) : null
    await takeLimits(caller, text, input.epoch)
    const appended = await storage.messages.append({
      clientId: input.clientId,
      senderId,
      message: text,
      attachments,
      nonce: input.nonce ?? newId(),
      epoch: input.epoch,
      visitorMessagesMax: VISITOR_MESSAGES_MAX,
      then,
      site: await siteOf(caller, input.site),
      keyHash: keyOf(caller).keyHash,
      job: await jobOf({
        clientId: input.clientId,
        address: caller.side === 'visitor' ? caller.address : null,
        at,
      }),
      at,
    })
    // A stored message pays for checking its key. Any other call is charged, or it could bring a new key each time and
    // cost nothing.
    if (caller.side === 'visitor' && appended.outcome !== 'stored' && appended.outcome !== 'wrong-key') {
      await limits.charge('address', caller.address, REFUSED_POINTS)
    }
    switch (appended.outcome) {
      case 'wrong-key':
        throw await wrongKey(limits, caller)
      case 'nonce-taken':
        throw new AppError('conflict', 'This message was already sent with a different text or other files.')
      case 'stale-epoch':
        throw new AppError('stale-epoch', 'This conversation was reset. Send your message again.')
      case 'snooze-over':
        throw snoozeOver()
      case 'unscheduled':
        throw new Error('This message was not scheduled.')
      case 'blocked':
        throw blockedError(supportEmail)
      case 'full':
        throw new AppError('too-large', 'This conversation is full. Email us or use the contact page.')
      case 'unknown-file':
        throw unknownFile()
      case 'file-used':
        throw fileUsed()
      case 'repeated':
        return { message: appended.message, repeated: true }
      case 'stored': {
        const { message } = appended
        notifyStored(appended, caller.connection)
        if (caller.side === 'visitor') {
          for (const { bytes } of message.attachments ?? [])
            await limits.refund('unsent', caller.address, pointsForFile(bytes))
        }
        return { message, repeated: false }
      }
    }
  }

  return { send, receive, sendScheduled }
}

export const unknownFile = () => wrongFile('A file in this message no longer exists. Attach it again.')
export const fileUsed = () =>
  wrongFile('A file in this message was already sent. Attach it again.', 'conflict')

export function wrongFile(message: string, code?: 'conflict'): AppError {
  return fieldError('attachments', message, code && { code })
}
