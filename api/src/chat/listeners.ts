import type { AskChanged, ConversationRead, UnreadChanged } from '@proctorpass/shared/events'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { SeenMark } from '../storage/model/conversation/conversation.ts'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/**
 * Notified of facts, after their cause was answered. `except` is the connection that knows the fact by its answer. Only
 * visitors with one of the keys may receive the fact, or all visitors of the conversation if it has none.
 */
export interface ChatListener {
  messageCreated(message: Message, except: string | undefined, keyHashes: KeyHashes): void
  conversationRead(fact: ConversationRead, except: string | undefined, keyHashes: KeyHashes): void
  /** The conversation, open to any visitor before, got its first keys. */
  keyAdded(clientId: string, keyHashes: KeyHashes): void
  /** For admins: the inbox state or the visitor's claim changed. */
  conversationChanged(summary: ConversationSummary): void
  /** For admins. */
  activityCreated(activity: Activity): void
  /** For this admin. */
  conversationSeen(userId: string, mark: SeenMark): void
  /** The conversation has no history any more. */
  conversationErased(clientId: string, keyHashes: KeyHashes): void
  /** For the visitor. */
  askChanged(clientId: string, fact: AskChanged, keyHashes: KeyHashes): void
  /** At most once in UNREAD_THROTTLE_MS for each conversation, with its latest counts. */
  unreadChanged(fact: UnreadChanged): void
  /** The same, only for changes by this node and without the total: for the other nodes, which read it themselves. */
  unreadChangedLocally(counts: [clientId: string, adminUnread: number][]): void
}

/** For a listener that wants some of the facts. */
export const IGNORE_FACTS: Readonly<ChatListener> = {
  messageCreated() {},
  conversationRead() {},
  keyAdded() {},
  conversationChanged() {},
  activityCreated() {},
  conversationSeen() {},
  conversationErased() {},
  askChanged() {},
  unreadChanged() {},
  unreadChangedLocally() {},
}

export type Notify = (fact: (listener: ChatListener) => void) => void

/** Calls the listeners at the end of the event-loop iteration, after every answer of that iteration. */
export function createNotify(listeners: readonly ChatListener[]): Notify {
  let queue: Parameters<Notify>[0][] = []
  return (fact) => {
    if (queue.length === 0) {
      process.nextTick(() => {
        const facts = queue
        queue = []
        for (const each of facts) for (const listener of listeners) each(listener)
      })
    }
    queue.push(fact)
  }
}
