import { PAGE_LIMIT_DEFAULT } from '@proctorpass/shared/limits'
import type {
  ConversationsQuery,
  Marked,
  Page,
  PageQuery,
  Transport,
  UnreadCount,
} from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Caller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { Sites } from '../sites/sites.ts'
import { isBlocked } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { ConversationState } from '../storage/model/conversation/conversation.ts'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Attachments } from './attachments.ts'
import { createBlocks } from './blocks.ts'
import { type ConversationListPage, listConversations } from './conversation-list.ts'
import { createEdit } from './edit.ts'
import { createErase, type KeepFigures } from './erase.ts'
import { createExport } from './export.ts'
import { createInbox } from './inbox.ts'
import { type ChatListener, createNotify, IGNORE_FACTS } from './listeners.ts'
import { businessName, peopleIn } from './people.ts'
import { adminIn, keyOf, mustHaveKey, senderIn } from './permissions.ts'
import { createRatings } from './ratings.ts'
import { createScheduled } from './scheduled.ts'
import { createSend, type JobOfMessage } from './send.ts'
import { createUnreadThrottle } from './unread.ts'
import { createUpdates } from './updates.ts'
import { createVisitors } from './visitors.ts'

interface ChatDeps {
  storage: Storage
  transport: Transport
  attachments: Pick<Attachments, 'removeOf'>
  /** The name of admins without a display name. */
  brand: string
  /** The address to which a blocked visitor may write. */
  supportEmail: string
  settings: Pick<SettingsUseCases, 'current'>
  limits: Pick<Limits, 'take' | 'charge' | 'refund'>
  /** Milliseconds since 1970 UTC. */
  now?: () => number
  /** Whether a visitor has an open socket on any node. */
  isOnline?: (clientId: string) => boolean
  /** Finds a site, as `Sites` does. */
  findSite?: Sites['find']
  /** Makes the job that a message causes, such as a notification. */
  jobOf?: JobOfMessage
  /** Records how long a visitor waited, see `AnswerTimes`. */
  answered?: (waitedSince: number, at: number) => void
  /** Called before a note is acknowledged, also if the note is repeated. */
  onNote?: (note: Activity) => Promise<void>
  keepFigures?: KeepFigures
}

/** The use cases of the chat, for REST calls and socket commands alike. */
export function createChat(deps: ChatDeps) {
  const { storage, transport, attachments, brand, supportEmail, settings } = deps
  const { limits, now = Date.now, isOnline = () => false } = deps
  const { findSite = async () => null, keepFigures = (_clientId, erase) => erase() } = deps
  const { jobOf = () => null, onNote = async () => {}, answered = () => {} } = deps
  const listeners: ChatListener[] = []
  const notify = createNotify(listeners)
  const notifyUnread = createUnreadThrottle(listeners, () => storage.conversations.totalAdminUnread())
  const unreadChanged = (clientId: string, adminUnread: number) => notifyUnread(clientId, adminUnread, true)

  const ratings = createRatings({ storage, limits, settings, supportEmail, now, notify })
  listeners.push({ ...IGNORE_FACTS, activityCreated: ratings.followActivity })

  const updates = createUpdates({ storage, now, notify })

  /** Returns the conversation if the caller may enter it. */
  async function enter(caller: Caller, clientId: string): Promise<ConversationState | null> {
    senderIn(caller, clientId)
    const found = await storage.conversations.find(clientId)
    if (found !== null) await mustHaveKey(limits, caller, found.keyHashes)
    return found
  }

  async function markRead(caller: Caller, clientId: string, seq: number): Promise<Marked | null> {
    const marked = await storage.conversations.markRead(clientId, caller.side, seq, keyOf(caller).keyHash)
    if (marked === null) return null
    const { read, adminUnread, moved, keyHashes, spam } = marked
    await mustHaveKey(limits, caller, keyHashes)
    const mark = read[caller.side]
    if (moved) {
      const fact = { clientId, by: caller.side, seq: mark }
      notify((listener) => listener.conversationRead(fact, caller.connection, keyHashes))
      if (caller.side === 'admin' && spam === null) unreadChanged(clientId, adminUnread)
    }
    return { seq: mark, adminUnread }
  }

  const sending = createSend({
    ...{ storage, limits, findSite, supportEmail, now, notify, unreadChanged, ratings, jobOf, answered },
  })

  const { sendScheduled, ...sends } = sending
  return {
    ...sends,
    scheduled: createScheduled({ storage, now, notify, sendScheduled }),
    inbox: createInbox({
      storage,
      now,
      notify,
      onNote,
      withSeen: updates.withSeen,
      receive: sending.receive,
    }),
    updates,
    visitors: createVisitors({
      ...{ storage, limits, settings, findSite, supportEmail, now, notify, isOnline, ratings },
    }),
    edit: createEdit({ storage, now, notify }),
    blocks: createBlocks({ storage, now, notify }),
    ratings,
    export: createExport({ storage, limits, findSite, brand, now }),
    ...createErase({ storage, attachments, limits, notify, unreadChanged, keepFigures }),

    /**
     * Returns a page; a conversation that does not exist has an empty one. `markRead` means that the caller has read
     * the page.
     */
    async page(
      caller: Caller,
      clientId: string,
      query: PageQuery,
      options: { markRead?: boolean } = {},
    ): Promise<Page> {
      senderIn(caller, clientId)
      const { limit = PAGE_LIMIT_DEFAULT } = query
      const found = await storage.messages.page(clientId, { ...query, limit, ...keyOf(caller) })
      if (found === null) {
        const nothing = {
          messages: [],
          seq: 0,
          epoch: '',
          more: false,
          read: { visitor: 0, admin: 0 },
          transport,
        }
        return query.edits === undefined ? nothing : { ...nothing, edits: [] }
      }
      const { keyHashes, messages, seq, epoch, more, read, edits, corrected } = found
      await mustHaveKey(limits, caller, keyHashes)
      const newest = messages.at(-1)
      if (options.markRead && newest !== undefined && newest.seq > read[caller.side]) {
        const marked = await markRead(caller, clientId, newest.seq)
        if (marked !== null) read[caller.side] = marked.seq
      }
      const { side } = caller
      const business = side === 'admin' ? brand : await businessName(found.site, { findSite, brand })
      const { showTeam: faces } = await settings.current()
      const shown = [...messages, ...(corrected ?? [])]
      const people = await peopleIn(shown, { storage, business, side, faces })
      const asks = caller.side === 'visitor' && (await ratings.isOpen(found))
      return {
        ...{ messages, seq, epoch, more, read, transport },
        ...(people && { people }),
        ...(asks && { ask: 'rating' as const }),
        ...(edits > 0 && { edit: edits }),
        ...(corrected && { edits: corrected }),
      }
    },

    async markRead(caller: Caller, clientId: string, seq: number): Promise<Marked> {
      senderIn(caller, clientId)
      return (await markRead(caller, clientId, seq)) ?? { seq: 0, adminUnread: 0 }
    },

    async conversations(caller: Caller, query: ConversationsQuery): Promise<ConversationListPage> {
      const admin = adminIn(caller)
      const { conversations, next } = await listConversations(storage, query, { admin, now: now() })
      return { conversations: await updates.withSeen(admin.userId, conversations), next }
    },

    async unreadCount(caller: Caller): Promise<UnreadCount> {
      adminIn(caller)
      return { totalAdminUnread: await storage.conversations.totalAdminUnread() }
    },

    /** The hub alone may call this, because no answer may reveal whether a conversation exists. */
    exists: async (clientId: string): Promise<boolean> =>
      (await storage.conversations.find(clientId)) !== null,

    /**
     * The hub alone may call this. Returns the keys of a conversation that the caller may enter; null if it does not
     * exist.
     */
    keysOf: async (caller: Caller, clientId: string): Promise<KeyHashes | null> =>
      (await enter(caller, clientId))?.keyHashes ?? null,

    /** The hub alone may call this. Like `keysOf`, but also null for a blocked visitor, whose typing is not shown. */
    async keysForTyping(caller: Caller, clientId: string): Promise<KeyHashes | null> {
      const found = await enter(caller, clientId)
      if (found === null) return null
      return caller.side === 'visitor' && isBlocked(found.blockedUntil, now()) ? null : found.keyHashes
    },

    listen(listener: ChatListener): void {
      listeners.push(listener)
    },

    /** Tells listeners that another node changed a conversation's count. */
    peerUnreadChanged: (clientId: string, adminUnread: number): void =>
      notifyUnread(clientId, adminUnread, false),
  }
}

export type Chat = ReturnType<typeof createChat>
