import { AppError } from '@proctorpass/shared/errors'
import { PAGE_LIMIT_MAX, UPDATE_TEXT_MAX, UPDATES_AGE_MS, UPDATES_MAX } from '@proctorpass/shared/limits'
import { messageSummary } from '@proctorpass/shared/message-summary'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { PostSeen, Unseen, Update, UpdateList } from '@proctorpass/shared/schemas/updates'
import type { Caller } from '../auth/caller.ts'
import type { ConversationRecord, SeenMark } from '../storage/model/conversation/conversation.ts'
import { firstCharacters } from '../storage/model/conversation/rows.ts'
import type { Concerning, Storage } from '../storage/model/storage.ts'
import type { Notify } from './listeners.ts'
import { adminIn } from './permissions.ts'

/** The most waiting conversations of an admin that are searched for the newest messages. */
const WAITING_MAX = 100

interface UpdatesDeps {
  storage: Pick<Storage, 'conversations' | 'inbox' | 'messages' | 'seenMarks'>
  now: () => number
  notify: Notify
}

/**
 * The use cases for what concerns an admin, and what they have seen. Each method throws an AppError `forbidden` for a
 * visitor.
 */
export function createUpdates({ storage, now, notify }: UpdatesDeps) {
  async function marksOf(userId: string, clientIds: Iterable<string>): Promise<Map<string, SeenMark>> {
    const marks = await storage.seenMarks.of(userId, [...new Set(clientIds)])
    return new Map(marks.map((mark) => [mark.clientId, mark]))
  }

  /** Limits the mark to what the conversation has; null if the conversation has another history. */
  async function known({ clientId, epoch, seq, n }: SeenMark): Promise<SeenMark | null> {
    const found = await storage.conversations.find(clientId)
    if (found?.epoch !== epoch) return null
    const newest = n === 0 ? { n } : await storage.inbox.activity(clientId, { limit: 1 })
    return { clientId, epoch, seq: Math.min(seq, found.seq), n: Math.min(n, newest.n) }
  }

  /** Reads back through the admins' newest messages to the visitor's newest one. Null without one. */
  async function newestOfVisitor(clientId: string): Promise<Message | null> {
    for (let before: number | undefined; ; ) {
      const page = await storage.messages.page(clientId, { before, limit: PAGE_LIMIT_MAX })
      const found = page?.messages.findLast(({ senderId }) => senderId === clientId)
      if (found !== undefined) return found
      before = page?.messages[0]?.seq
      if (before === undefined || before === 1) return null
    }
  }

  return {
    /**
     * Returns the newest mentions and assignments of the last UPDATES_AGE_MS, and the admin's conversations in which a
     * visitor waits. They are derived from logs and messages, and the cost does not grow with history.
     */
    async list(caller: Caller): Promise<UpdateList> {
      const { userId } = adminIn(caller)
      const since = now() - UPDATES_AGE_MS
      const [concerning, mine] = await Promise.all([
        storage.inbox.concerning(userId, { since, limit: UPDATES_MAX }),
        storage.conversations.list({
          limit: WAITING_MAX,
          filter: { assigneeId: userId, statuses: ['open', 'snoozed'] },
        }),
      ])
      const waiting = mine.conversations.filter(({ waitingSince }) => waitingSince !== null)
      const found = [...withAssignments(concerning), ...waiting.map(ofMessage)]
        .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
        .slice(0, UPDATES_MAX)
      const marks = await marksOf(
        userId,
        found.map(({ clientId }) => clientId),
      )
      const updates = found.map((update) => {
        const { seq = 0, n = 0 } = marks.get(update.clientId) ?? {}
        return { ...update, isSeen: update.seq <= seq && update.n <= n }
      })
      return { updates }
    },

    /** Moves the admin's own marks forward. Skips unknown and erased conversations. */
    async markSeen(caller: Caller, { marks }: PostSeen): Promise<void> {
      const { userId } = adminIn(caller)
      for (const seenMark of marks) {
        const mark = await known(seenMark)
        const moved = mark && (await storage.seenMarks.move(userId, mark))
        if (moved) notify((listener) => listener.conversationSeen(userId, moved))
      }
    },

    /**
     * Moves the admin's own mark back behind the visitor's newest message, and returns the newest message that the admin
     * has seen then. Throws an AppError `not-found` without a message of the visitor.
     */
    async markUnseen(caller: Caller, clientId: string): Promise<Unseen> {
      const { userId } = adminIn(caller)
      const newest = await newestOfVisitor(clientId)
      if (newest === null) throw new AppError('not-found', 'The visitor has not written here.')
      const { epoch, seq } = newest
      const moved = await storage.seenMarks.moveBack(userId, { clientId, epoch, seq: seq - 1 })
      if (moved) notify((listener) => listener.conversationSeen(userId, { ...moved, back: true }))
      const seen = moved?.seq ?? (await marksOf(userId, [clientId])).get(clientId)?.seq ?? 0
      return { seen }
    },

    /** Adds to the summaries what the admin has seen. */
    async withSeen<S extends ConversationSummary>(userId: string, summaries: S[]): Promise<S[]> {
      const marks = await marksOf(
        userId,
        summaries.map(({ clientId }) => clientId),
      )
      return summaries.map((summary) => ({ ...summary, seen: marks.get(summary.clientId)?.seq ?? 0 }))
    },
  }
}

export type Updates = ReturnType<typeof createUpdates>

type Unmarked = Omit<Update, 'isSeen'>

function ofEntry({ activity, epoch, visitorName: name }: Concerning): Unmarked {
  const { kind, clientId, n, by, at, data } = activity
  const update = { clientId, epoch, seq: 0, n, by, at: new Date(at).toISOString(), name }
  return kind === 'note'
    ? { ...update, kind: 'mention', text: beginning((data as { text: string }).text) }
    : { ...update, kind: 'assignment', text: '' }
}

/**
 * Returns the updates of entries, the newest first. An assignment right behind the note of the same change is told with
 * the mention.
 */
function withAssignments(concerning: readonly Concerning[]): Unmarked[] {
  const keyOf = ({ clientId, by, at }: Unmarked, n: number) => [clientId, by, at, n].join(' ')
  const all = concerning.map(ofEntry)
  const assignments = new Set(
    all.filter(({ kind }) => kind === 'assignment').map((update) => keyOf(update, update.n)),
  )
  const mentions = new Set(
    all.filter(({ kind }) => kind === 'mention').map((update) => keyOf(update, update.n)),
  )
  return all.flatMap((update) => {
    if (update.kind === 'mention') {
      return assignments.has(keyOf(update, update.n + 1))
        ? [{ ...update, assigned: true as const }]
        : [update]
    }
    return mentions.has(keyOf(update, update.n - 1)) ? [] : [update]
  })
}

function ofMessage({ clientId, lastMessage, visitor: { name } }: ConversationRecord): Unmarked {
  const { epoch, seq, createdAt: at } = lastMessage
  const text = beginning(messageSummary(lastMessage))
  return { kind: 'reply', clientId, epoch, seq, n: 0, by: null, at, name, text }
}

function beginning(text: string): string {
  const cut = firstCharacters(text, UPDATE_TEXT_MAX)
  return cut.length < text.length ? `${cut}…` : text
}
