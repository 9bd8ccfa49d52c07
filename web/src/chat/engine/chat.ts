import type { AppError } from '@proctorpass/shared/errors'
import { paths, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { PatchProfile, Reported } from '@proctorpass/shared/schemas/inbox'
import { type ChatOptions, wantedTransport } from './chat-options.ts'
import { createConversation } from './conversation.ts'
import { createLink, type Link } from './link.ts'
import type { OutboxEntry } from './outbox.ts'
import { createPush, type VisitorPush } from './push.ts'
import { createRequests, type Request, visitorCommands } from './requests.ts'
import { createSyncSchedule } from './schedule.ts'
import { createSignal } from './signal.ts'
import type { Conversation, Party } from './types.ts'
import { replaceVisitor, type Visitor } from './visitor.ts'

export interface VisitorChat {
  readonly link: Link
  readonly conversation: Conversation
  start(): void
  stop(): void
  /** Call this when the visitor uses the chat. From then on, messages flow even if there are none yet. */
  touch(): void
  /** Reports something about the visitor. Rejects with an AppError: `not-found` before their first message. */
  report(profile: PatchProfile): Promise<Reported>
  /**
   * Notifies when the server refuses this visitor the conversation, because the key is lost or is another browser's.
   */
  onRefused(listener: () => void): () => void
  /** Ends this chat. Resolves to a new visitor's chat, not yet started, with all unsent messages. */
  startOver(): Promise<VisitorChat>
}

/** Creates the chat for the visitor that `ensureVisitor` returns. */
export function createVisitorChat(
  options: ChatOptions & {
    visitor: Visitor
    /** The ID of the site in whose frame the chat runs. */
    site?: string | null
    /** Returns what to tell the visitor about an error. The default is the error's message. */
    textOf?: (error: AppError) => string
    /** Unsent messages from another conversation. */
    unsent?: readonly OutboxEntry[]
  },
): VisitorChat {
  const { config, visitor, unsent, tab, origin = '', site = null } = options
  const { clientId, key } = visitor
  const request: Request = (path, given) =>
    options.request(path, key === null ? given : { ...given, visitorKey: key })
  const handshake: Record<string, string> = {
    clientId,
    ...(key !== null && { key }),
    ...(site !== null && { site }),
  }
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
      pagePath: paths.conversation(clientId),
      request,
      site,
      onTransport: link.setTransport,
      onRefused: refused.emit,
    }),
    onStored: () => {},
    unsent,
    openAttachments: options.openAttachments,
    textOf: options.textOf,
    visitorKey: key,
  })
  push.handle(conversation.facts)

  /** A visitor who has never written opens no socket. */
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
    report: (body) => request(paths.conversationProfile(clientId), { method: 'PATCH', body }),
    onRefused: refused.on,
    async startOver() {
      const next = createVisitorChat({
        ...options,
        visitor: await replaceVisitor(visitor, tab),
        unsent: conversation.outbox.list(),
      })
      this.stop()
      // By now these messages are stored under the new conversation.
      for (const { nonce } of conversation.outbox.list()) conversation.outbox.remove(nonce)
      return next
    },
  }
}
