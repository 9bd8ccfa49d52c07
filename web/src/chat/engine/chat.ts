import type { PresenceChanged, UnreadChanged } from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE, paths, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { createConversation, type EngineConversation } from './conversation.ts'
import { createLink, type Link } from './link.ts'
import { type OutboxEntry, pendingClients } from './outbox.ts'
import { type AdminPush, createPush, type VisitorPush } from './push.ts'
import { adminCommands, createRequests, type Request, visitorCommands } from './requests.ts'
import { createSyncSchedule } from './schedule.ts'
import { createSignal } from './signal.ts'
import type { Tab } from './tab.ts'
import type { Conversation, Party } from './types.ts'
import { replaceVisitor, type Visitor } from './visitor.ts'

export type { Link } from './link.ts'

interface ChatOptions {
  config: PublicConfig['chat']
  tab: Tab
  request: Request
  /** Of the hub; empty for the page's own. */
  origin?: string
}

export interface VisitorChat {
  readonly link: Link
  readonly conversation: Conversation
  start(): void
  stop(): void
  /** The visitor uses the chat: from now on messages flow even if there are none yet. */
  touch(): void
  /** The server refuses this visitor the conversation: its key is lost, or another browser's. */
  onRefused(listener: () => void): () => void
  /** Ends this chat. Resolves to the chat of a new visitor, not yet started, with all unsent messages. */
  startOver(): Promise<VisitorChat>
}

/** The chat of the visitor that `ensureVisitor` returns. */
export function createVisitorChat(
  options: ChatOptions & {
    visitor: Visitor
    /** Unsent messages of another conversation. */
    unsent?: readonly OutboxEntry[]
  },
): VisitorChat {
  const { config, visitor, unsent, tab, origin = '' } = options
  const { clientId, key } = visitor
  const request: Request = (path, given) =>
    options.request(path, key === null ? given : { ...given, visitorKey: key })
  const handshake: Record<string, string> = key === null ? { clientId } : { clientId, key }
  const refused = createSignal()
  const push: VisitorPush = createPush({
    origin,
    namespace: VISITOR_NAMESPACE,
    auth: async () => handshake,
  })
  const link = createLink(tab, push, config.transport)
  const schedule = createSyncSchedule(link, config.pollMs, () => wantedTransport(request))
  const party: Party = { side: 'visitor', clientId, senderId: clientId }
  const conversation = createConversation({
    ...party,
    tab,
    link,
    schedule,
    requests: createRequests({
      ...party,
      commands: visitorCommands(push),
      request,
      onTransport: link.setTransport,
      onRefused: refused.emit,
    }),
    onStored: () => {},
    unsent,
  })
  push.handle(conversation.facts)

  /** A visitor who has never written holds no socket. */
  function activateIfUsed() {
    const { messages, pending } = conversation.getState()
    if (messages.length > 0 || pending.length > 0) link.activate()
  }
  conversation.subscribe(activateIfUsed)

  return {
    link,
    conversation,
    start() {
      conversation.start()
      activateIfUsed()
      link.start()
    },
    stop() {
      conversation.stop()
      link.stop()
    },
    touch: link.activate,
    onRefused: refused.on,
    async startOver() {
      const next = createVisitorChat({
        ...options,
        visitor: await replaceVisitor(visitor, tab),
        unsent: conversation.outbox.list(),
      })
      this.stop()
      // By now they are stored under the new conversation.
      for (const { nonce } of conversation.outbox.list()) conversation.outbox.remove(nonce)
      return next
    },
  }
}

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
  /** Every pushed note or change of any conversation. */
  onActivity(listener: (activity: Activity) => void): () => void
  /** Facts may have been missed: read list and count again. Not called for polls. */
  onResync(listener: () => void): () => void
  start(): void
  stop(): void
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
    'typing:changed': (fact) => factsOf(fact.clientId)?.['typing:changed'](fact),
    'presence:changed'(fact) {
      presence.emit(fact)
      factsOf(fact.clientId)?.['presence:changed'](fact)
    },
    'unread:changed': unread.emit,
    'conversation:changed': changed.emit,
    'activity:created': activity.emit,
  })

  function conversation(clientId: string): Conversation {
    const existing = conversations.get(clientId)
    if (existing) return existing
    const party: Party = { side: 'admin', clientId, senderId: userId }
    const commands = adminCommands(push, clientId)
    const created = createConversation({
      ...party,
      tab,
      link,
      schedule,
      requests: createRequests({ ...party, commands, request, onTransport: link.setTransport }),
      onStored: messages.emit,
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
    onActivity: activity.on,
    onResync: resync.on,
    start: link.start,
    stop() {
      for (const each of conversations.values()) each.stop()
      link.stop()
    },
  }
}

async function wantedTransport(request: Request) {
  return (await request<PublicConfig>(paths.config)).chat.transport
}
