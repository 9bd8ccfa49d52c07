import { adminPaths } from '@proctorpass/shared/admin-paths'
import type {
  AdminTypingChanged,
  PresenceChanged,
  ScheduledChanged,
  UnreadChanged,
  ViewingChanged,
} from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE } from '@proctorpass/shared/paths'
import type { ConversationSummary, Message, PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { MovedMark } from '@proctorpass/shared/schemas/updates'
import { guardReply } from './admin-guard.ts'
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
  /** Returns the conversation, always the same object for a clientId. */
  conversation(clientId: string): Conversation
  onUnread(listener: (fact: UnreadChanged) => void): () => void
  /** Notifies of every pushed message in any conversation, and of this tab's stored ones. */
  onMessage(listener: (message: Message) => void): () => void
  /** Notifies of every pushed correction in any conversation, and of this tab's own ones. */
  onEdited(listener: (message: Message) => void): () => void
  /**
   * Corrects one of this admin's messages. A repeated call with the same nonce and text changes nothing. Rejects with an
   * AppError.
   */
  edit(message: Pick<Message, 'clientId' | 'seq' | 'epoch'>, nonce: string, text: string): Promise<void>
  onPresence(listener: (fact: PresenceChanged) => void): () => void
  /** Notifies when a conversation's inbox state or its visitor's claim changed. */
  onChanged(listener: (summary: ConversationSummary) => void): () => void
  /** Notifies when a conversation was erased. Works only by push. */
  onErased(listener: (clientId: string) => void): () => void
  /** Notifies of every pushed note or change in any conversation. */
  onActivity(listener: (activity: Activity) => void): () => void
  /** Notifies when this admin's mark has moved, perhaps on another device. Works only by push. */
  onSeen(listener: (mark: MovedMark) => void): () => void
  /** Notifies what is scheduled in a conversation after each change. Works only by push. */
  onScheduled(listener: (fact: ScheduledChanged) => void): () => void
  /** Notifies when the answer of `GET /reports/now` has changed. Works only by push. */
  onNow(listener: () => void): () => void
  /** Notifies which admins view a conversation, including this one. Works only by push. */
  onViewing(listener: (fact: ViewingChanged) => void): () => void
  /** Notifies when an admin types, perhaps this one in another tab. Works only by push. */
  onAdminTyping(listener: (fact: AdminTypingChanged) => void): () => void
  /** Tells the other admins which conversation this tab shows. Returns false if the socket is not up. */
  setViewing(clientId: string | null): boolean
  /** Notifies that facts may have been missed, so that list and counts must be read again. Polls do not cause this. */
  onResync(listener: () => void): () => void
  start(): void
  stop(): void
  /** Immediately retries what the server has refused until now. */
  reconnect(): void
}

/** Creates a signed-in admin's chat, with one connection for all conversations. */
export function createAdminChat(
  options: ChatOptions & {
    userId: string
    /** Resolves to the access token, or to a new one if `fresh` is true. */
    getToken: (fresh: boolean) => Promise<string>
  },
): AdminChat {
  const { config, userId, getToken, request, tab, origin = '' } = options
  const conversations = new Map<string, EngineConversation>()
  const unread = createSignal<UnreadChanged>()
  const messages = createSignal<Message>()
  const edited = createSignal<Message>()
  const presence = createSignal<PresenceChanged>()
  const changed = createSignal<ConversationSummary>()
  const activity = createSignal<Activity>()
  const scheduled = createSignal<ScheduledChanged>()
  const seen = createSignal<MovedMark>()
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
  // This listener comes before the schedule, so that the conversations created here are synced and sent at once.
  link.onResync(() => {
    // Replies that waited through a reload are sent, no matter which page the admin is on.
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
    'message:edited': takeEdited,
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
    'scheduled:changed': scheduled.emit,
    'conversation:seen': seen.emit,
    'now:changed': now.emit,
  })

  function takeEdited(message: Message) {
    edited.emit(message)
    factsOf(message.clientId)?.['message:edited'](message)
  }

  function conversation(clientId: string): Conversation {
    const existing = conversations.get(clientId)
    if (existing) return existing
    const party: Party = { side: 'admin', clientId, senderId: userId }
    const commands = commandsOf(push, clientId)
    const created = createConversation({
      ...party,
      history: createAdminHistory,
      guard: guardReply,
      tab,
      link,
      schedule,
      requests: createRequests({
        ...{ ...party, commands, request },
        pagePath: adminPaths.adminConversation(clientId),
        onTransport: link.setTransport,
      }),
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
    onEdited: edited.on,
    async edit({ clientId, seq, epoch }, nonce, text) {
      const { data } = await request<PostedMessage>(adminPaths.message(clientId, seq), {
        method: 'PATCH',
        body: { nonce, message: text, epoch },
        signal: AbortSignal.timeout(EDIT_TIMEOUT_MS),
      })
      takeEdited(data)
    },
    onPresence: presence.on,
    onChanged: changed.on,
    onErased: erased.on,
    onActivity: activity.on,
    onSeen: seen.on,
    onScheduled: scheduled.on,
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

const EDIT_TIMEOUT_MS = 15_000

const commandsOf = (push: AdminPush, clientId: string): ConversationCommands => ({
  sync: (query) => push.ask((socket) => socket.emitWithAck('conversation:sync', { clientId, ...query })),
  send: (message) => push.ask((socket) => socket.emitWithAck('message:send', { clientId, ...message })),
  markRead: (seq) => push.ask((socket) => socket.emitWithAck('conversation:read', { clientId, seq })),
  setTyping: (typing) => push.emit((socket) => socket.emit('typing:set', { clientId, typing })),
})
