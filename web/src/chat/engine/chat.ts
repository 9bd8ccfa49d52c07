import type {
  ConversationRead,
  PresenceChanged,
  TypingChanged,
  UnreadChanged,
} from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE, paths, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { createConversation, type FollowedConversation } from './conversation.ts'
import { createLink, type Link } from './link.ts'
import { type OutboxEntry, waitingClients } from './outbox.ts'
import { createWire, type Request } from './requests.ts'
import type { Tab } from './tab.ts'
import type { Conversation } from './types.ts'
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
  /** The person takes an interest: from now on messages flow even where there are none yet. */
  touch(): void
  /** The server does not let this visitor into the conversation: its key is lost, or another browser's. */
  onRefused(listener: () => void): () => void
  /** Ends this chat. Resolves to that of another visitor, not yet started, with all that was not sent. */
  startOver(): Promise<VisitorChat>
}

/** The chat of this browser's visitor, who comes from `ensureVisitor`. */
export function createVisitorChat(
  options: ChatOptions & {
    visitor: Visitor
    /** What was not sent in another conversation. */
    carried?: readonly OutboxEntry[]
  },
): VisitorChat {
  const { config, visitor, carried, tab, origin = '' } = options
  const { clientId, key } = visitor
  const call = options.request
  const request: Request = (path, given) => call(path, key === null ? given : { ...given, visitorKey: key })
  const handshake: Record<string, string> = key === null ? { clientId } : { clientId, key }
  const refused = createSignal<void>()
  const link = createLink({
    tab,
    config,
    push: {
      origin,
      namespace: VISITOR_NAMESPACE,
      auth: async () => handshake,
      onFact: handleFact,
    },
    probe: () => askTransport(request),
    onResync: () => {},
  })
  const wire = createWire({
    side: 'visitor',
    clientId,
    senderId: clientId,
    link,
    request,
    onRefused: refused.emit,
  })
  const conversation = createConversation({
    side: 'visitor',
    clientId,
    senderId: clientId,
    tab,
    link,
    wire,
    onStored: () => {},
    ...(carried === undefined ? {} : { carried }),
  })

  function handleFact(event: string, fact: unknown) {
    deliverFact(conversation, event, fact)
  }

  /** A reader who has never written holds no socket. */
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
        carried: conversation.outbox.list(),
      })
      this.stop()
      // They are stored under the new conversation by now.
      for (const { nonce } of conversation.outbox.list()) conversation.outbox.remove(nonce)
      return next
    },
  }
}

export interface AdminChat {
  readonly link: Link
  /** One object for each clientId, shared by all who ask. */
  conversation(clientId: string): Conversation
  onUnread(listener: (fact: UnreadChanged) => void): () => void
  /** Every new message of any conversation that this page hears of by push, and its own stored ones. */
  onMessage(listener: (message: Message) => void): () => void
  onPresence(listener: (fact: PresenceChanged) => void): () => void
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
  const conversations = new Map<string, FollowedConversation>()
  const unread = createSignal<UnreadChanged>()
  const messages = createSignal<Message>()
  const presence = createSignal<PresenceChanged>()
  const resync = createSignal<void>()

  const link = createLink({
    tab,
    config,
    push: {
      origin,
      namespace: ADMIN_NAMESPACE,
      auth: async (fresh) => ({ token: await getToken(fresh) }),
      onFact: handleFact,
    },
    probe: () => askTransport(request),
    onResync() {
      // Replies that waited through a reload go out wherever the admin is now.
      for (const clientId of waitingClients(tab, userId)) conversation(clientId)
      resync.emit()
    },
  })
  link.activate()

  function handleFact(event: string, fact: unknown) {
    if (event === 'unread:changed') unread.emit(fact as UnreadChanged)
    if (event === 'message:created') messages.emit(fact as Message)
    if (event === 'presence:changed') presence.emit(fact as PresenceChanged)
    const conversation = conversations.get((fact as { clientId: string }).clientId)
    if (conversation) deliverFact(conversation, event, fact)
  }

  function conversation(clientId: string): Conversation {
    const existing = conversations.get(clientId)
    if (existing) return existing
    const wire = createWire({ side: 'admin', clientId, senderId: userId, link, request })
    const created = createConversation({
      side: 'admin',
      clientId,
      senderId: userId,
      tab,
      link,
      wire,
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
    onResync: resync.on,
    start: link.start,
    stop() {
      for (const each of conversations.values()) each.stop()
      link.stop()
    },
  }
}

function deliverFact({ facts }: FollowedConversation, event: string, fact: unknown) {
  if (event === 'message:created') facts.message(fact as Message)
  if (event === 'conversation:read') facts.read(fact as ConversationRead)
  if (event === 'typing:changed') facts.typing(fact as TypingChanged)
  if (event === 'presence:changed') facts.presence((fact as PresenceChanged).online)
}

async function askTransport(request: Request) {
  return (await request<PublicConfig>(paths.config)).chat.transport
}

function createSignal<T>() {
  const listeners = new Set<(value: T) => void>()
  return {
    emit(value: T) {
      for (const listener of listeners) listener(value)
    },
    on(listener: (value: T) => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
