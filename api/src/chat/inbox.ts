import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { LABEL_FIELD, NOTE_FIELD } from '@proctorpass/shared/fields/label'
import { parseIso } from '@proctorpass/shared/iso-time'
import { labelKey } from '@proctorpass/shared/label-key'
import { LABELS_MAX, PAGE_LIMIT_DEFAULT, SNOOZE_MAX_MS } from '@proctorpass/shared/limits'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
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
import type { ActivityRecord, InboxChange, InboxChanged, InboxOutcome } from '../storage/port/inbox.ts'
import type { UserRecord } from '../storage/port/records.ts'
import type { Storage } from '../storage/port/storage.ts'
import { isActiveAdmin } from '../storage/rules/active-admin.ts'
import { toSummary } from './conversation-list.ts'
import type { Notify } from './listeners.ts'
import { adminIn } from './permissions.ts'
import type { Updates } from './updates.ts'

/** Labels offered for choosing. */
const LABELS_LISTED = 500
/** Changes of one bulk that are under way at once. */
const BULK_CONCURRENCY = 20
/** Snoozes that one look ends. */
const DUE_MAX = 100

/** What admins decide about conversations, and their log. Each method throws AppError `forbidden` for a visitor. */
export interface Inbox {
  /** Throws AppError `not-found`, or `conflict` when another version is stored. */
  change(caller: Caller, clientId: string, change: PatchConversation): Promise<ConversationSummary>
  /** Says which changes failed because the store was not available; throws when all did. */
  changeAll(caller: Caller, bulk: BulkChange): Promise<BulkChanged>
  /** Throws AppError `not-found`. */
  summary(caller: Caller, clientId: string): Promise<ConversationSummary>
  counts(caller: Caller): Promise<Counts>
  labels(caller: Caller): Promise<LabelList>
  /** Empty for an unknown conversation. */
  activity(caller: Caller, clientId: string, query: ActivityQuery): Promise<ActivityPage>
  /** `repeated`: stored before under this nonce. Throws AppError `not-found`, or `conflict` for another text. */
  addNote(
    caller: Caller,
    clientId: string,
    note: PostNote,
  ): Promise<{ activity: Activity; repeated: boolean }>
  /** Tells admins of an entry that another use case stored. */
  activityStored(activity: ActivityRecord): void
  /** Opens conversations whose snooze has ended. Every node may call it at any time. */
  endDueSnoozes(): Promise<void>
}

interface InboxDeps extends Pick<Updates, 'withSeen'> {
  storage: Pick<Storage, 'inbox' | 'conversations' | 'users'>
  now: () => number
  notify: Notify
  onNote: (note: Activity) => Promise<void>
}

export function createInbox({ storage, now, notify, onNote, withSeen }: InboxDeps): Inbox {
  const notifyChanged = (changed: InboxChanged) => notifyInboxChanged(notify, changed)

  async function checked(change: ConversationChange): Promise<InboxChange> {
    if (change.assigneeId != null) await mustBeAssignable(change.assigneeId)
    return {
      status: change.status,
      snoozedUntil: snoozeEnd(change, now()),
      assigneeId: change.assigneeId,
      labels: change.labels === undefined ? undefined : cleanLabels(change.labels),
    }
  }

  async function mustBeAssignable(userId: string): Promise<void> {
    const user = await storage.users.findById(userId)
    if (user === null || !isActiveAdmin(user)) throw fieldError('assigneeId', 'Choose an active admin')
  }

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
        ? 'Another admin changed this conversation. Check its state and try again.'
        : `${other.displayName ?? other.userName} took this conversation.`,
    )
  }

  return {
    async change(caller, clientId, { version, ...change }) {
      const admin = adminIn(caller)
      const outcome = await store(admin, clientId, await checked(change), version)
      if (outcome.outcome === 'missing') throw notFound()
      const { conversation } = outcome
      if (outcome.outcome === 'stale') {
        throw await staleChange(admin, conversation.inbox.assigneeId, change)
      }
      return toSummary(conversation)
    },

    async changeAll(caller, { clientIds, change }) {
      const admin = adminIn(caller)
      const accepted = await checked(change)
      const ids = [...new Set(clientIds)]
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
          } else if (settled.value.outcome === 'missing') missing += 1
          else if (settled.value.outcome === 'stored') {
            stored.push({ clientId, version: settled.value.conversation.inbox.version })
          }
        }
      }
      // What was changed is said, so that it can be undone.
      if (failed.length === ids.length || (cause !== undefined && !(cause instanceof AppError))) throw cause
      return { changed: stored.length, missing, stored, ...(failed.length > 0 && { failed }) }
    },

    async summary(caller, clientId) {
      const { userId } = adminIn(caller)
      const found = await storage.conversations.record(clientId)
      if (found === null) throw notFound()
      const [summary] = await withSeen(userId, [toSummary(found)])
      return summary as ConversationSummary
    },

    counts: async (caller) => storage.inbox.counts(adminIn(caller).userId, now()),

    async labels(caller) {
      adminIn(caller)
      return { labels: await storage.inbox.labels(LABELS_LISTED) }
    },

    async activity(caller, clientId, query) {
      adminIn(caller)
      const { limit = PAGE_LIMIT_DEFAULT } = query
      const page = await storage.inbox.activity(clientId, { ...query, limit })
      return { ...page, activity: page.activity.map(toActivity) }
    },

    async addNote(caller, clientId, { nonce, ...note }) {
      const { userId } = adminIn(caller)
      const { text } = checkFields({ text: NOTE_FIELD }, note)
      const mentions = mentionedIn(text, await storage.users.list())
      const added = await storage.inbox.addNote({ clientId, nonce, by: userId, text, mentions, at: now() })
      if (added.outcome === 'missing') throw notFound()
      if (added.outcome === 'nonce-taken') {
        throw new AppError('conflict', 'This note was already saved with a different text.')
      }
      if (added.outcome === 'stored') notifyActivity(notify, added.activity)
      const activity = toActivity(added.activity)
      await onNote(activity)
      return { activity, repeated: added.outcome === 'repeated' }
    },

    activityStored: (activity) => notifyActivity(notify, activity),

    async endDueSnoozes() {
      const at = now()
      for (const clientId of await storage.inbox.dueSnoozes(at, DUE_MAX)) {
        const end = { by: null, at, onlyDueBy: at }
        const outcome = await storage.inbox.change(clientId, { status: 'open' }, end)
        if (outcome.outcome === 'stored') notifyChanged(outcome)
      }
    },
  }
}

/** Notifies of a change and of its entries. */
export function notifyInboxChanged(notify: Notify, { conversation, activity }: InboxChanged): void {
  const summary = toSummary(conversation)
  notify((listener) => listener.conversationChanged(summary))
  for (const entry of activity) notifyActivity(notify, entry)
}

/** Notifies of an entry. */
export function notifyActivity(notify: Notify, activity: ActivityRecord): void {
  const entry = toActivity(activity)
  notify((listener) => listener.activityCreated(entry))
}

export function toActivity({ at, ...record }: ActivityRecord): Activity {
  return { ...record, at: new Date(at).toISOString() } as Activity
}

function notFound(): AppError {
  return new AppError('not-found', 'Conversation not found.')
}

function snoozeEnd({ status, snoozedUntil }: ConversationChange, now: number): number | null | undefined {
  if (status !== 'snoozed') {
    if (snoozedUntil == null) return undefined
    throw fieldError('snoozedUntil', 'Only a snoozed conversation has an end of its snooze')
  }
  if (snoozedUntil == null) throw fieldError('snoozedUntil', 'Choose when the snooze ends')
  const until = parseIso(snoozedUntil)
  if (until === null) throw fieldError('snoozedUntil', 'Use a date and time such as 2026-01-31T09:00:00Z')
  if (until <= now) throw fieldError('snoozedUntil', 'Choose a time in the future')
  if (until > now + SNOOZE_MAX_MS) throw fieldError('snoozedUntil', 'Choose a time within 90 days')
  return until
}

function cleanLabels(labels: readonly string[]): string[] {
  const cleaned = labels.map((label) => {
    const problem = LABEL_FIELD.problem(label)
    if (problem !== null) throw fieldError('labels', problem)
    return LABEL_FIELD.clean(label)
  })
  const unique = new Map(cleaned.toReversed().map((label) => [labelKey(label), label]))
  if (unique.size > LABELS_MAX) throw fieldError('labels', `${LABELS_MAX} labels or fewer`)
  return cleaned.filter((label) => unique.get(labelKey(label)) === label)
}

/** The ids of active admins whose `@userName` stands in the text, not as a part of a longer word. */
function mentionedIn(text: string, users: readonly UserRecord[]): string[] {
  const lower = text.normalize('NFKC').toLowerCase()
  return users
    .filter((user) => {
      const mention = `@${user.userName.normalize('NFKC').toLowerCase()}`
      for (let at = lower.indexOf(mention); at >= 0; at = lower.indexOf(mention, at + 1)) {
        // One character of up to two units on each side: more would make a long note cost its length squared.
        const before = lower.slice(Math.max(0, at - 2), at)
        const after = lower.slice(at + mention.length, at + mention.length + 2)
        if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}_-]/u.test(after)) return true
      }
      return false
    })
    .filter(isActiveAdmin)
    .map(({ _id }) => _id)
}
