import type {
  AskChanged,
  ConversationRead,
  ScheduledChanged,
  UnreadChanged,
} from '@proctorpass/shared/events'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { MovedMark } from '@proctorpass/shared/schemas/updates'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'

/**
 * Is notified of facts after the call that caused them was answered. `except` is the connection that learns the fact
 * from its answer. Only visitors with one of the keys may receive the fact, or all of the conversation's visitors if it
 * has no keys.
 */
export interface ChatListener {
  messageCreated(message: Message, except: string | undefined, keyHashes: KeyHashes): void
  /** A message got new words. */
  messageEdited(message: Message, keyHashes: KeyHashes): void
  conversationRead(fact: ConversationRead, except: string | undefined, keyHashes: KeyHashes): void
  /** The conversation got its first keys; until then it was open to any visitor. */
  keyAdded(clientId: string, keyHashes: KeyHashes): void
  /** The inbox state or the visitor's claim changed. This fact is for admins. */
  conversationChanged(summary: ConversationSummary): void
  /** A note or a change was stored. This fact is for admins. */
  activityCreated(activity: Activity): void
  /** What waits to be sent in the conversation changed. This fact is for admins. */
  scheduledChanged(fact: ScheduledChanged): void
  /** An admin moved their seen mark. This fact is for the same admin. */
  conversationSeen(userId: string, mark: MovedMark): void
  /** The conversation's history was erased. */
  conversationErased(clientId: string, keyHashes: KeyHashes): void
  /** A rating was asked for, or is no longer. This fact is for the visitor. */
  askChanged(clientId: string, fact: AskChanged, keyHashes: KeyHashes): void
  /** Unread counts changed. Each conversation's latest counts arrive at most once in UNREAD_THROTTLE_MS. */
  unreadChanged(fact: UnreadChanged): void
  /**
   * This node's own changes of unread counts, without the total. The other nodes receive them, and read the total
   * themselves.
   */
  unreadChangedLocally(counts: [clientId: string, adminUnread: number][]): void
}

/** The base of a listener that needs only some of the facts. */
export const IGNORE_FACTS: Readonly<ChatListener> = {
  messageCreated() {},
  messageEdited() {},
  conversationRead() {},
  keyAdded() {},
  conversationChanged() {},
  activityCreated() {},
  scheduledChanged() {},
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
