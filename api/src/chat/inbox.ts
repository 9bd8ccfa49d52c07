import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { NOTE_FIELD } from '@proctorpass/shared/fields/label'
import { nonceOfMailEntry } from '@proctorpass/shared/inbox'
import { PAGE_LIMIT_DEFAULT } from '@proctorpass/shared/limits'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type {
  Activity,
  ActivityPage,
  ActivityQuery,
  BulkChange,
  BulkChanged,
  ConversationChange,
  Counts,
  LabelList,
  PatchConversation,
  PostNote,
} from '@proctorpass/shared/schemas/inbox'
import type { AdminCaller, Caller } from '../auth/caller.ts'
import type { ActivityRecord } from '../storage/model/conversation/conversation.ts'
import type { InboxChange, InboxChanged, InboxOutcome } from '../storage/model/conversation/inbox-changes.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { toSummary } from './conversation-list.ts'
import { checkedChange, inactiveAssignee, mentionedIn } from './inbox-fields.ts'
import { notifyActivity, notifyInboxChanged, toActivity } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { othersIn } from './people.ts'
import { adminIn } from './permissions.ts'
import type { Receive } from './send.ts'
import type { Updates } from './updates.ts'

/** The number of labels that are offered for choosing. */
const LABELS_LISTED = 500
/** The number of a bulk change's changes that run at once. */
const BULK_CONCURRENCY = 20
/** The number of snoozes that one look ends. */
const DUE_MAX = 100

interface InboxDeps extends Pick<Updates, 'withSeen'> {
  storage: Pick<Storage, 'inbox' | 'conversations' | 'users' | 'apiKeys'>
  now: () => number
  notify: Notify
  onNote: (note: Activity) => Promise<void>
  receive: Receive
}

/**
 * The use cases for what admins decide about conversations, and for their log. Each method throws an AppError
 * `forbidden` for a visitor.
 */
export function createInbox({ storage, now, notify, onNote, withSeen, receive }: InboxDeps) {
  const notifyChanged = (changed: InboxChanged) => notifyInboxChanged(notify, changed, now())

  async function store(
    { userId }: AdminCaller,
    clientId: string,
    change: InboxChange,
    version?: number,
  ): Promise<InboxOutcome> {
    const outcome = await storage.inbox.change(clientId, change, { by: userId, at: now(), version })
    if (outcome.outcome === 'stored') notifyChanged(outcome)
    return outcome
  }

  async function staleChange(
    { userId }: AdminCaller,
    assigneeId: string | null,
    change: ConversationChange,
  ): Promise<AppError> {
    const isTaken = change.assigneeId !== undefined && assigneeId !== null && assigneeId !== userId
    const other = isTaken ? await storage.users.findById(assigneeId) : null
    return new AppError(
      'conflict',
      other === null
        ? 'A teammate changed this conversation. Check it, then try again.'
        : `${other.displayName ?? other.userName} took this conversation.`,
    )
  }

  return {
    /** Throws an AppError `not-found`, or `conflict` if another version is stored. */
    async change(
      caller: Caller,
      clientId: string,
      { version, ...change }: PatchConversation,
    ): Promise<ConversationSummary> {
      const admin = adminIn(caller)
      const outcome = await store(admin, clientId, await checkedChange(change, storage, now()), version)
      if (outcome.outcome === 'missing') throw notFound()
      if (outcome.outcome === 'beyond') throw beyondNewest()
      const { conversation } = outcome
      if (outcome.outcome === 'stale') {
        throw await staleChange(admin, conversation.inbox.assigneeId, change)
      }
      return toSummary(conversation, now())
    },

    /**
     * Changes several conversations. The answer names the changes that failed because the store was not available; the
     * call throws if all of them failed.
     */
    async changeAll(caller: Caller, { clientIds, change }: BulkChange): Promise<BulkChanged> {
      const admin = adminIn(caller)
      const accepted = await checkedChange(change, storage, now())
      const ids = [...new Set(clientIds)]
      if (accepted.upTo !== undefined) await mustHave(accepted.upTo, ids, storage)
      let missing = 0
      const stored: { clientId: string; version: number }[] = []
      const failed: string[] = []
      let cause: unknown
      for (let start = 0; start < ids.length; start += BULK_CONCURRENCY) {
        const part = ids.slice(start, start + BULK_CONCURRENCY)
        const outcomes = await Promise.allSettled(part.map((id) => store(admin, id, accepted)))
        for (const [index, settled] of outcomes.entries()) {
          const clientId = part[index] ?? ''
          if (settled.status === 'rejected') {
            failed.push(clientId)
            cause = settled.reason
            // A conversation that was erased since `mustHave` can be too short.
          } else if (['missing', 'beyond'].includes(settled.value.outcome)) missing += 1
          else if (settled.value.outcome === 'stored') {
            stored.push({ clientId, version: settled.value.conversation.inbox.version })
          }
        }
      }
      // One failure does not throw, because the answer names the changed conversations so that the change can be
      // undone.
      if (failed.length === ids.length || (cause !== undefined && !(cause instanceof AppError))) throw cause
      return { changed: stored.length, missing, stored, ...(failed.length > 0 && { failed }) }
    },

    /** Throws an AppError `not-found` for an unknown conversation. */
    async summary(caller: Caller, clientId: string): Promise<ConversationSummary> {
      const { userId } = adminIn(caller)
      const found = await storage.conversations.record(clientId)
      if (found === null) throw notFound()
      const [summary] = await withSeen(userId, [toSummary(found, now())])
      return summary as ConversationSummary
    },

    counts: async (caller: Caller): Promise<Counts> => storage.inbox.counts(adminIn(caller).userId, now()),

    async labels(caller: Caller): Promise<LabelList> {
      adminIn(caller)
      return { labels: await storage.inbox.labels(LABELS_LISTED) }
    },

    /** Returns an empty page for an unknown conversation. */
    async activity(caller: Caller, clientId: string, query: ActivityQuery): Promise<ActivityPage> {
      adminIn(caller)
      const { limit = PAGE_LIMIT_DEFAULT } = query
      const page = await storage.inbox.activity(clientId, { ...query, limit })
      const people = await othersIn(
        page.activity.map(({ by }) => by),
        storage,
      )
      return { ...page, activity: page.activity.map(toActivity), ...(people && { people }) }
    },

    /**
     * Stores a note, which may also assign the conversation; `repeated` if it was already stored under this nonce.
     * Throws an AppError `not-found`, `invalid-input` if the assignee is not active, or `conflict` for another text.
     */
    async addNote(
      caller: Caller,
      clientId: string,
      { nonce, assigneeId, ...note }: PostNote,
    ): Promise<{ activity: Activity; repeated: boolean }> {
      const { userId } = adminIn(caller)
      const { text } = checkFields({ text: NOTE_FIELD }, note)
      const users = await storage.users.list()
      const told = assigneeId === undefined || assigneeId === userId ? [] : [assigneeId]
      const isActive = (id: string) => users.some((user) => user._id === id && isActiveAdmin(user))
      const added = await storage.inbox.addNote({
        ...{ clientId, nonce, by: userId, text, at: now() },
        mentions: [...new Set([...mentionedIn(text, users), ...told])],
        assignee:
          assigneeId === undefined ? undefined : { userId: assigneeId, isActive: isActive(assigneeId) },
      })
      if (added.outcome === 'missing') throw notFound()
      if (added.outcome === 'nonce-taken') {
        throw new AppError('conflict', 'This note was already saved with a different text.')
      }
      if (added.outcome === 'inactive-assignee') throw inactiveAssignee()
      if (added.outcome === 'stored') {
        notifyActivity(notify, added.activity)
        if (added.inboxChanged !== null) notifyChanged(added.inboxChanged)
      }
      const activity = toActivity(added.activity)
      await onNote(activity)
      return { activity, repeated: added.outcome === 'repeated' }
    },

    /**
     * Turns a mail's entry into a message of the visitor, once. Throws an AppError `not-found`, or `conflict` while the
     * visitor is blocked.
     */
    async addMessage(
      caller: Caller,
      clientId: string,
      n: number,
    ): Promise<{ message: Message; repeated: boolean }> {
      adminIn(caller)
      const { activity } = await storage.inbox.activity(clientId, { after: n - 1, before: n + 1, limit: 1 })
      const conversation = await storage.conversations.find(clientId)
      const [entry] = activity
      if (conversation === null || entry === undefined || !('from' in entry.data && 'text' in entry.data)) {
        throw new AppError('not-found', 'Email not found.')
      }
      const { text, quoted = '' } = entry.data
      const received = await receive({
        ...{ clientId, epoch: conversation.epoch, text, quoted, attachments: [] },
        ...{ nonce: nonceOfMailEntry(entry._id), from: null },
      })
      if ('message' in received)
        return { message: received.message, repeated: received.outcome === 'repeated' }
      if (received.outcome === 'blocked') {
        throw new AppError('conflict', 'This visitor is blocked. Unblock them first.')
      }
      if (received.outcome === 'full') throw new AppError('too-large', 'This conversation is full.')
      throw new AppError('conflict', 'This conversation was reset in the meantime.')
    },

    /** Tells admins about an entry that another use case stored. */
    activityStored: (activity: ActivityRecord): void => notifyActivity(notify, activity),

    /** Opens conversations whose snooze has ended. Every node may call this at any time. */
    async endDueSnoozes(): Promise<void> {
      const at = now()
      for (const clientId of await storage.inbox.dueSnoozes(at, DUE_MAX)) {
        const end = { by: null, at, onlyDueBy: at }
        const outcome = await storage.inbox.change(clientId, { status: 'open' }, end)
        if (outcome.outcome === 'stored') notifyChanged(outcome)
      }
    },
  }
}

/**
 * Throws an AppError `invalid-input` if one of the conversations is shorter than `upTo`, so that nothing is stored for the
 * others. Missing ones are counted later.
 */
async function mustHave(
  upTo: number,
  clientIds: readonly string[],
  { conversations }: Pick<Storage, 'conversations'>,
): Promise<void> {
  const found = await Promise.all(clientIds.map((id) => conversations.find(id)))
  if (found.some((each) => each !== null && each.seq > 0 && each.seq < upTo)) throw beyondNewest()
}

function beyondNewest(): AppError {
  return fieldError('upTo', 'Name a message that the conversation has')
}

function notFound(): AppError {
  return new AppError('not-found', 'Conversation not found.')
}
