import { AppError } from '@proctorpass/shared/errors'
import { PAGE_LIMIT_DEFAULT } from '@proctorpass/shared/limits'
import type {
  ConversationsQuery,
  Marked,
  Page,
  PageQuery,
  Transport,
  UnreadCount,
} from '@proctorpass/shared/schemas/chat'
import type { Caller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { Storage } from '../storage/storage.ts'
import type { KeyHashes } from '../storage/visitor-keys.ts'
import { type ConversationListPage, listConversations } from './conversation-list.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { type ChatListener, createNotify } from './listeners.ts'
import { peopleIn } from './people.ts'
import { adminIn, keyOf, mustHaveKey, senderIn } from './permissions.ts'
import { createSend, type JobOfMessage, type Send } from './send.ts'
import { createUnreadThrottle } from './unread.ts'
import { createVisitors, type Visitors } from './visitors.ts'

export interface Chat {
  send: Send
  readonly inbox: Inbox
  readonly visitors: Visitors
  /** A conversation that does not exist is an empty page. `markRead`: the caller has read the page. */
  page(caller: Caller, clientId: string, query: PageQuery, options?: { markRead?: boolean }): Promise<Page>
  markRead(caller: Caller, clientId: string, seq: number): Promise<Marked>
  /** Removes every message for good. Other open pages notice by the epoch. Throws AppError `not-found`. */
  erase(caller: Caller, clientId: string): Promise<void>
  conversations(caller: Caller, query: ConversationsQuery): Promise<ConversationListPage>
  unreadCount(caller: Caller): Promise<UnreadCount>
  /** For the hub only: no answer may reveal whether a conversation exists. */
  exists(clientId: string): Promise<boolean>
  /** For the hub only: the keys of a conversation that the caller may enter, null if it does not exist. */
  keysOf(caller: Caller, clientId: string): Promise<KeyHashes | null>
  listen(listener: ChatListener): void
  /** Another node changed a conversation's count. */
  peerUnreadChanged(clientId: string, adminUnread: number): void
}

interface ChatDeps {
  storage: Storage
  transport: Transport
  /** The name of admins without a display name. */
  brand: string
  limits: Pick<Limits, 'take' | 'charge'>
  /** Milliseconds since 1970 UTC. */
  now?: () => number
  /** Whether a visitor has an open socket, on any node. */
  isOnline?: (clientId: string) => boolean
  /** What a message makes due, such as a notification. */
  jobOf?: JobOfMessage
  /** See `AnswerTimes`. */
  answered?: (waitedSince: number, at: number) => void
}

/** The use cases of the chat, for REST calls and socket commands alike. */
export function createChat(deps: ChatDeps): Chat {
  const { storage, transport, brand, limits, now = Date.now, isOnline = () => false } = deps
  const { jobOf = () => null, answered = () => {} } = deps
  const listeners: ChatListener[] = []
  const notify = createNotify(listeners)
  const notifyUnread = createUnreadThrottle(listeners, () => storage.conversations.totalAdminUnread())
  const unreadChanged = (clientId: string, adminUnread: number) => notifyUnread(clientId, adminUnread, true)

  async function markRead(caller: Caller, clientId: string, seq: number): Promise<Marked | null> {
    const marked = await storage.conversations.markRead(clientId, caller.side, seq, keyOf(caller).keyHash)
    if (marked === null) return null
    const { read, adminUnread, moved, keyHashes } = marked
    await mustHaveKey(limits, caller, keyHashes)
    const mark = read[caller.side]
    if (moved) {
      const fact = { clientId, by: caller.side, seq: mark }
      notify((listener) => listener.conversationRead(fact, caller.connection, keyHashes))
      if (caller.side === 'admin') unreadChanged(clientId, adminUnread)
    }
    return { seq: mark, adminUnread }
  }

  return {
    send: createSend({ storage, limits, now, notify, unreadChanged, jobOf, answered }),
    inbox: createInbox({ storage, now, notify }),
    visitors: createVisitors({ storage, limits, now, notify, isOnline }),

    async page(caller, clientId, query, options = {}) {
      senderIn(caller, clientId)
      const { limit = PAGE_LIMIT_DEFAULT } = query
      const found = await storage.messages.page(clientId, { ...query, limit, ...keyOf(caller) })
      if (found === null) {
        return { messages: [], seq: 0, epoch: '', more: false, read: { visitor: 0, admin: 0 }, transport }
      }
      const { keyHashes, messages, seq, epoch, more, read } = found
      await mustHaveKey(limits, caller, keyHashes)
      const newest = messages.at(-1)
      if (options.markRead && newest !== undefined && newest.seq > read[caller.side]) {
        const marked = await markRead(caller, clientId, newest.seq)
        if (marked !== null) read[caller.side] = marked.seq
      }
      const people = await peopleIn(messages, { users: storage.users, brand })
      return { messages, seq, epoch, more, read, transport, ...(people && { people }) }
    },

    async markRead(caller, clientId, seq) {
      senderIn(caller, clientId)
      return (await markRead(caller, clientId, seq)) ?? { seq: 0, adminUnread: 0 }
    },

    async erase(caller, clientId) {
      senderIn(caller, clientId)
      if (!(await storage.conversations.erase(clientId, keyOf(caller).keyHash))) {
        const found = await storage.conversations.find(clientId)
        if (found !== null) await mustHaveKey(limits, caller, found.keyHashes)
        throw new AppError('not-found', 'Conversation not found.')
      }
      unreadChanged(clientId, 0)
    },

    async conversations(caller, query) {
      return listConversations(storage, query, { admin: adminIn(caller), now: now() })
    },

    async unreadCount(caller) {
      adminIn(caller)
      return { totalAdminUnread: await storage.conversations.totalAdminUnread() }
    },

    exists: async (clientId) => (await storage.conversations.find(clientId)) !== null,

    async keysOf(caller, clientId) {
      senderIn(caller, clientId)
      const found = await storage.conversations.find(clientId)
      if (found === null) return null
      await mustHaveKey(limits, caller, found.keyHashes)
      return found.keyHashes
    },

    listen(listener) {
      listeners.push(listener)
    },

    peerUnreadChanged: (clientId, adminUnread) => notifyUnread(clientId, adminUnread, false),
  }
}
