import type {
  AdminTypingChanged,
  PresenceChanged,
  UnreadChanged,
  ViewingChanged,
} from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE } from '@proctorpass/shared/paths'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { SeenMark } from '@proctorpass/shared/schemas/updates'
import { createAdminHistory } from './admin-history.ts'
import { pendingClients } from './admin-outbox.ts'
import { type ChatOptions, wantedTransport } from './chat-options.ts'
import { createConversation, type EngineConversation } from './conversation.ts'
import { createLink, type Link } from './link.ts'
import { type AdminPush, createPush } from './push.ts'
import { type ConversationCommands, createRequests } from './requests.ts'
import { createSyncSchedule } from './schedule.ts'
import { createSignal } from './signal.ts'
import type { Conversation, Party } from './types.ts'

export interface AdminChat {
  readonly link: Link
  /** One object for each clientId. */
  conversation(clientId: string): Conversation
  onUnread(listener: (fact: UnreadChanged) => void): () => void
  /** Every pushed message of any conversation, and the stored ones of this tab. */
  onMessage(listener: (message: Message) => void): () => void
  onPresence(listener: (fact: PresenceChanged) => void): () => void
  /** The inbox state or the visitor's claim of a conversation changed. */
  onChanged(listener: (summary: ConversationSummary) => void): () => void
  /** A conversation was erased. By push only. */
  onErased(listener: (clientId: string) => void): () => void
  /** Every pushed note or change of any conversation. */
  onActivity(listener: (activity: Activity) => void): () => void
  /** This admin has seen more of a conversation, perhaps on another device. By push only. */
  onSeen(listener: (mark: SeenMark) => void): () => void
  /** What `GET /reports/now` tells has changed. By push only. */
  onNow(listener: () => void): () => void
  /** Which admins view a conversation, this one included. By push only. */
  onViewing(listener: (fact: ViewingChanged) => void): () => void
  /** An admin types, perhaps this one in another tab. By push only. */
  onAdminTyping(listener: (fact: AdminTypingChanged) => void): () => void
  /** Tells the other admins which conversation this tab shows. False when the socket is not up. */
  setViewing(clientId: string | null): boolean
  /** Facts may have been missed: read list and count again. Not called for polls. */
  onResync(listener: () => void): () => void
  start(): void
  stop(): void
  /** Tries again at once what the server refused until now. */
  reconnect(): void
}

/** The chat of a signed-in admin: one connection for all conversations. */
export function createAdminChat(
  options: ChatOptions & {
    userId: string
    /** The access token; a new one when `fresh`. */
    getToken: (fresh: boolean) => Promise<string>
  },
): AdminChat {
  const { config, userId, getToken, request, tab, origin = '' } = options
  const conversations = new Map<string, EngineConversation>()
  const unread = createSignal<UnreadChanged>()
  const messages = createSignal<Message>()
  const presence = createSignal<PresenceChanged>()
  const changed = createSignal<ConversationSummary>()
  const activity = createSignal<Activity>()
  const seen = createSignal<SeenMark>()
  const erased = createSignal<string>()
  const viewing = createSignal<ViewingChanged>()
  const adminTyping = createSignal<AdminTypingChanged>()
  const now = createSignal()
  const resync = createSignal()

  const push: AdminPush = createPush({
    origin,
    namespace: ADMIN_NAMESPACE,
    auth: async (fresh) => ({ token: await getToken(fresh) }),
  })
  const link = createLink(tab, push, config.transport)
  // Before the schedule, so that the conversations created here are synced and sent at once.
  link.onResync(() => {
    // Replies that waited through a reload are sent, whichever page the admin is on.
    for (const clientId of pendingClients(tab, userId)) conversation(clientId)
    resync.emit()
  })
  const schedule = createSyncSchedule(link, config.pollMs, () => wantedTransport(request))
  link.activate()

  const factsOf = (clientId = '') => conversations.get(clientId)?.facts
  push.handle({
    'message:created'(message) {
      messages.emit(message)
      factsOf(message.clientId)?.['message:created'](message)
    },
    'conversation:read': (fact) => factsOf(fact.clientId)?.['conversation:read'](fact),
    'typing:changed'(fact) {
      if (fact.by === 'admin') adminTyping.emit(fact)
      else factsOf(fact.clientId)?.['typing:changed'](fact)
    },
    'viewing:changed': viewing.emit,
    'presence:changed'(fact) {
      presence.emit(fact)
      factsOf(fact.clientId)?.['presence:changed'](fact)
    },
    'conversation:erased'(fact) {
      erased.emit(fact.clientId)
      factsOf(fact.clientId)?.['conversation:erased'](fact)
    },
    'unread:changed': unread.emit,
    'conversation:changed': changed.emit,
    'activity:created': activity.emit,
    'conversation:seen': seen.emit,
    'now:changed': now.emit,
  })

  function conversation(clientId: string): Conversation {
    const existing = conversations.get(clientId)
    if (existing) return existing
    const party: Party = { side: 'admin', clientId, senderId: userId }
    const commands = commandsOf(push, clientId)
    const created = createConversation({
      ...party,
      history: createAdminHistory,
      tab,
      link,
      schedule,
      requests: createRequests({ ...party, commands, request, onTransport: link.setTransport }),
      onStored: messages.emit,
      openAttachments: options.openAttachments,
    })
    conversations.set(clientId, created)
    return created
  }

  return {
    link,
    conversation,
    onUnread: unread.on,
    onMessage: messages.on,
    onPresence: presence.on,
    onChanged: changed.on,
    onErased: erased.on,
    onActivity: activity.on,
    onSeen: seen.on,
    onViewing: viewing.on,
    onAdminTyping: adminTyping.on,
    setViewing: (clientId) => push.emit((socket) => socket.emit('viewing:set', { clientId })),
    onNow: now.on,
    onResync: resync.on,
    start: link.start,
    stop() {
      for (const each of conversations.values()) each.stop()
      link.stop()
    },
    reconnect() {
      if (!push.isUp) push.renew()
      push.retryNow()
      link.resync()
    },
  }
}

const commandsOf = (push: AdminPush, clientId: string): ConversationCommands => ({
  sync: (query) => push.ask((socket) => socket.emitWithAck('conversation:sync', { clientId, ...query })),
  send: (message) => push.ask((socket) => socket.emitWithAck('message:send', { clientId, ...message })),
  markRead: (seq) => push.ask((socket) => socket.emitWithAck('conversation:read', { clientId, seq })),
  setTyping: (typing) => push.emit((socket) => socket.emit('typing:set', { clientId, typing })),
})
