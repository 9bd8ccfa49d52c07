/** Describes every change to a conversation once for both adapters: what it reads, decides, and answers. */

import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { InboxRepository, VisitorRepository } from '../storage.ts'
import { decideRating, ratingOf } from './blocks-and-ratings.ts'
import type {
  ActivityRecord,
  Conversation,
  ConversationRecord,
  InboxRecord,
  ToStore,
} from './conversation.ts'
import { decideEdit } from './edits.ts'
import { decideIdentity, decideMailEntry, decideNote, identityNonce } from './entries.ts'
import { decideBlock, decideInboxChange, takesMarkBack } from './inbox-changes.ts'
import type { MessageWithFiles } from './messages.ts'
import { type MessageRow, toMessage } from './rows.ts'
import { decideReschedule, decideSchedule, decideUnschedule, scheduledEntryNonce } from './scheduled.ts'
import type { ScheduledRecord, WaitingMessages } from './scheduled-records.ts'
import type { SpamMark } from './spam.ts'
import type { KeyHashes } from './visitor-keys.ts'
import {
  decideBounced,
  decideMailed,
  decideProfile,
  type VisitorRecord,
  type VisitorToStore,
  visitorRecord,
} from './visitors.ts'

/** An adapter implements these writes for the changes to a conversation. */
export interface ConversationWriter {
  /**
   * Reads the conversation at its newest message and what the change needs, decides, and stores fields and entries in one
   * write. Decides again when another process changed the conversation in the meantime.
   */
  change<Answer>(clientId: string, change: NoInfer<Change<Answer>>): Promise<Answer>
  /** Does the same for the visitor's data. Messages that the conversation's row does not count yet make no difference. */
  changeVisitor<Answer>(clientId: string, change: NoInfer<VisitorChange<Answer>>): Promise<Answer>
}

export interface Change<Answer> {
  needs?: Needs
  /** The answer when the conversation is missing. */
  missing: Answer
  /** Returns the answer, or the fields and entries to store before answering. */
  decide(found: Found): Answer | ToStore<ConversationFields>
  answer(stored: Stored): Answer
}

export interface Needs {
  /** Asks for the entry under this nonce as `entry`. */
  nonce?: string
  /** Asks for the newest rating as `entry` if the last resolve was rated. */
  isRating?: boolean
  /** Asks for `marks`, because the change may take a mark back. */
  marks?: boolean
  /** The labels as an admin wrote them. */
  labels?: readonly string[] | undefined
  /** Asks for the message under this nonce as `message`. */
  message?: string
  /** Asks for the uploaded files of a message, which belong to it once the change is stored. */
  files?: MessageWithFiles
  /** Asks for the message `seq` as `target`, and for `edits` if there is an entry under the nonce. */
  seq?: number
}

export interface Found extends Pick<Stored, 'record'> {
  conversation: Conversation
  entry: ActivityRecord | null
  message: Message | null
  /** The files, or the reason why the message can't have them. Empty if there is an entry. */
  files: Attachment[] | 'unknown-file' | 'file-used'
  /** The entries that say which messages wait, the oldest first. Empty unless they were asked for. */
  marks: readonly ActivityRecord[]
  /** The labels. Those in use are spelled as they were first written. */
  labels: readonly string[] | undefined
  /** The message `seq` with its newest words. Null if it is missing, or was not asked for. */
  target: MessageRow | null
  /** The newest entries about corrections. */
  edits: readonly ActivityRecord[]
}

export interface Stored {
  activity: ActivityRecord[]
  /** What waits to be sent. */
  scheduled: WaitingMessages
  /** The message `seq`, as it is after the change. Null unless it was asked for. */
  target: MessageRow | null
  keyHashes: KeyHashes
  /** Returns the conversation as the list shows it. Call it only if the conversation has messages. */
  record(): ConversationRecord
}

export type ConversationFields = Partial<
  InboxRecord & {
    blockedUntil: number | null
    rated: boolean
    waitingSince: number | null
    settledSeq: number
    edits: number
    spam: SpamMark | null
    scheduled: WaitingMessages
  }
>

export interface VisitorChange<Answer> {
  missing: Answer
  /** Decides on the change. `visitor` is null while nothing is known about them. */
  decide(conversation: Conversation, visitor: VisitorRecord | null): Answer | VisitorToStore
  answer(stored: VisitorStored): Answer
}

export interface VisitorStored extends Required<Pick<VisitorToStore, 'only'>> {
  /** The conversation before the change. */
  conversation: Conversation
  visitor: VisitorRecord
  activity: ActivityRecord[]
}

export function isToStore<Answer, Decided extends ToStore<object>>(
  decided: Answer | Decided,
): decided is Decided {
  return typeof decided === 'object' && decided !== null && 'entries' in decided
}

const MISSING = { outcome: 'missing' } as const

export function openInboxChanges({
  change,
}: ConversationWriter): Pick<
  InboxRepository,
  'change' | 'addNote' | 'addMail' | 'logIdentity' | 'block' | 'rate' | 'edit' | keyof ScheduledChanges
> {
  const logged = ({ activity }: Stored) => ({
    outcome: 'stored' as const,
    activity: activity[0] as ActivityRecord,
  })

  return {
    ...openScheduledChanges(change),

    change: (clientId, wanted, options) =>
      change(clientId, {
        needs: { marks: options.by !== null && takesMarkBack(wanted), labels: wanted.labels },
        missing: MISSING,
        decide({ conversation, marks, labels, record }) {
          const decided = decideInboxChange(conversation, { ...wanted, labels }, options, marks)
          const { outcome } = decided
          return outcome === 'stale' || outcome === 'unchanged'
            ? { outcome, conversation: record() }
            : decided
        },
        answer: ({ record, activity }) => ({ outcome: 'stored', conversation: record(), activity }),
      }),

    addNote: (note) =>
      change(note.clientId, {
        needs: { nonce: note.nonce },
        missing: MISSING,
        decide: ({ conversation, entry }) => decideNote(conversation, note, entry),
        answer(stored) {
          const [, ...activity] = stored.activity
          const inboxChanged = activity.length === 0 ? null : { conversation: stored.record(), activity }
          return { ...logged(stored), inboxChanged }
        },
      }),

    addMail: (mail) =>
      change(mail.clientId, {
        needs: { nonce: mail.nonce },
        missing: MISSING,
        decide: ({ conversation, entry }) => decideMailEntry(conversation, mail, entry),
        answer: logged,
      }),

    logIdentity: (clientId, data, at) =>
      change(clientId, {
        needs: { nonce: identityNonce(data.clientId) },
        missing: null,
        decide: ({ conversation, entry }) => decideIdentity(conversation, data, at, entry),
        answer: ({ activity: [entry = null] }) => entry,
      }),

    block: (clientId, until, options) =>
      change(clientId, {
        needs: { marks: until === null },
        missing: MISSING,
        decide({ conversation, marks, record }) {
          const decided = decideBlock(conversation, until, options, marks)
          if (decided.outcome === 'stored') return decided
          return { ...decided, conversation: conversation.seq === 0 ? null : record() }
        },
        answer: ({ record, activity }) => ({
          outcome: 'stored',
          conversation: activity.length === 0 ? null : record(),
          activity,
        }),
      }),

    edit: (edit) =>
      change(edit.clientId, {
        needs: { nonce: edit.nonce, seq: edit.seq },
        missing: MISSING,
        decide(found) {
          const decided = decideEdit(found, edit)
          return decided.outcome === 'unchanged'
            ? { outcome: 'unchanged', message: toMessage(found.target as MessageRow) }
            : decided
        },
        answer(stored) {
          const message = toMessage(stored.target as MessageRow)
          return { ...logged(stored), message, keyHashes: stored.keyHashes }
        },
      }),

    rate: (clientId, rating, options) =>
      change(clientId, {
        needs: { isRating: true },
        missing: MISSING,
        decide: ({ conversation, entry }) =>
          decideRating(conversation, rating, {
            ...options,
            last: entry === null ? undefined : ratingOf(entry),
          }),
        answer: logged,
      }),
  }
}

type ScheduledChanges = Pick<InboxRepository, 'schedule' | 'reschedule' | 'unschedule'>

function openScheduledChanges(change: ConversationWriter['change']): ScheduledChanges {
  const storedIn = ({ activity, scheduled }: Stored) => ({
    outcome: 'stored' as const,
    activity: activity[0] as ActivityRecord,
    scheduled: [...(scheduled ?? [])],
  })
  const recordIn = (stored: Stored, nonce: string) => ({
    ...storedIn(stored),
    record: stored.scheduled?.find((each) => each.nonce === nonce) as ScheduledRecord,
  })

  return {
    schedule: (wanted) =>
      change(wanted.clientId, {
        needs: {
          nonce: scheduledEntryNonce(wanted.nonce),
          message: wanted.nonce,
          files: { ...wanted, senderId: wanted.by },
        },
        missing: MISSING,
        decide: ({ conversation, ...found }) => decideSchedule(conversation, wanted, found),
        answer: (stored) => recordIn(stored, wanted.nonce),
      }),

    reschedule: (clientId, nonce, wanted, options) =>
      change(clientId, {
        needs: { message: nonce },
        missing: MISSING,
        decide: ({ conversation, message }) =>
          decideReschedule(conversation, nonce, wanted, { ...options, message }),
        answer: (stored) => recordIn(stored, nonce),
      }),

    unschedule: (clientId, nonce, cancel) =>
      change(clientId, {
        needs: { message: nonce },
        missing: MISSING,
        decide: ({ conversation, message }) => decideUnschedule(conversation, nonce, cancel, message),
        answer: storedIn,
      }),
  }
}

export function openVisitorChanges({
  changeVisitor,
}: ConversationWriter): Omit<VisitorRepository, 'find' | 'names'> {
  const firstOf = ({ activity }: { activity: ActivityRecord[] }) => activity[0] ?? null

  return {
    update: (clientId, change, options) =>
      changeVisitor(clientId, {
        missing: MISSING,
        decide(conversation, known) {
          const visitor = known ?? visitorRecord(clientId, {})
          const decided = decideProfile(conversation, visitor, change, options)
          if (decided.outcome !== 'stored') return decided
          if (Object.keys(decided.set).length > 0) return { ...decided, only: decided.changed }
          const { keyHashes } = conversation
          return { outcome: 'stored', visitor, changed: [], activity: null, keyHashes }
        },
        answer({ conversation: { keyHashes }, visitor, only: changed, activity: [activity = null] }) {
          return { outcome: 'stored', visitor, changed, activity, keyHashes }
        },
      }),

    mailed: (clientId, mail) =>
      changeVisitor(clientId, {
        missing: null,
        decide: (conversation, visitor) => visitor && decideMailed(conversation, visitor, mail),
        answer: firstOf,
      }),

    bounced: (clientId, bounce) =>
      changeVisitor(clientId, {
        missing: null,
        decide: (conversation, visitor) => visitor && decideBounced(conversation, visitor, bounce),
        answer: firstOf,
      }),

    sign: (clientId, epoch, signed) =>
      changeVisitor(clientId, {
        missing: false,
        decide: (conversation) =>
          conversation.epoch === epoch && { outcome: 'stored', set: { signed }, entries: [] },
        answer: () => true,
      }),

    setUnsubscribed: (clientId, unsubscribed) =>
      changeVisitor(clientId, {
        missing: false,
        decide: (_conversation, visitor) =>
          visitor !== null && { outcome: 'stored', set: { unsubscribed }, entries: [] },
        answer: () => true,
      }),
  }
}
