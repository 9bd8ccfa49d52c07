import type { WireError } from './errors.ts'
import type {
  AdminRead,
  AdminSend,
  AdminSync,
  AdminTyping,
  AdminViewing,
  ConversationSummary,
  Marked,
  Message,
  Page,
  VisitorRead,
  VisitorSend,
  VisitorSync,
  VisitorTyping,
} from './schemas/chat.ts'
import type { Activity } from './schemas/inbox.ts'
import type { Scheduled } from './schemas/scheduled.ts'
import type { MovedMark } from './schemas/updates.ts'

/** A command's acknowledgement. */
export type Ack<T> = { ok: true; data: T } | { ok: false; error: WireError }
type Reply<T> = (answer: Ack<T>) => void

/** The side that wrote or read. */
export type Side = 'visitor' | 'admin'

export interface VisitorCommands {
  'message:send': (input: VisitorSend, reply: Reply<Message>) => void
  /** Reads a page. Marks nothing as read. */
  'conversation:sync': (input: VisitorSync, reply: Reply<Page>) => void
  'conversation:read': (input: VisitorRead, reply: Reply<Marked>) => void
  'typing:set': (input: VisitorTyping, reply?: Reply<null>) => void
}

export interface AdminCommands {
  'message:send': (input: AdminSend, reply: Reply<Message>) => void
  'conversation:sync': (input: AdminSync, reply: Reply<Page>) => void
  'conversation:read': (input: AdminRead, reply: Reply<Marked>) => void
  'typing:set': (input: AdminTyping, reply?: Reply<null>) => void
  /** Names the conversation that this tab shows; null if it shows none. */
  'viewing:set': (input: AdminViewing, reply?: Reply<null>) => void
}

export interface UnreadChanged {
  totalAdminUnread: number
  clientId: string
  adminUnread: number
}
export interface ConversationRead {
  clientId: string
  by: Side
  seq: number
}
export interface TypingChanged {
  clientId: string
  by: Side
  typing: boolean
}
export interface AdminTypingChanged extends TypingChanged {
  /** The admin who types; missing for a visitor. If several admins type at once, each is emitted. */
  userId?: string
}
/** The admins who have a conversation open, each once. */
export interface ViewingChanged {
  clientId: string
  userIds: string[]
}
/**
 * The presence of admins or of one visitor. Visitors receive it without `clientId`, and learn whether any admin is
 * online. Admins receive it for one visitor.
 */
export interface PresenceChanged {
  clientId?: string
  online: boolean
}

/** All messages that are scheduled in a conversation, the earliest first. */
export interface ScheduledChanged {
  clientId: string
  scheduled: Scheduled[]
}

/** The visitor is asked for a rating; null if not anymore. */
export interface AskChanged {
  ask: 'rating' | null
}

export interface VisitorFacts {
  'message:created': (message: Message) => void
  /** An admin corrected the message. The highest `edit` has the newest words. */
  'message:edited': (message: Message) => void
  'conversation:read': (fact: ConversationRead) => void
  'typing:changed': (fact: TypingChanged) => void
  'presence:changed': (fact: PresenceChanged) => void
  /** The conversation's history was erased. Messages from the erased epoch are refused from now on. */
  'conversation:erased': (fact: { clientId: string }) => void
  /** Only visitors receive this. */
  'ask:changed': (fact: AskChanged) => void
}

export interface AdminFacts extends Omit<VisitorFacts, 'ask:changed'> {
  'typing:changed': (fact: AdminTypingChanged) => void
  /**
   * An admin who connects receives this for each viewed conversation, and so does an admin who opens a conversation.
   */
  'viewing:changed': (fact: ViewingChanged) => void
  /** A conversation's status, assignee, labels, snooze, or visitor claim changed. */
  'conversation:changed': (summary: ConversationSummary) => void
  'activity:created': (activity: Activity) => void
  /** A message was scheduled, changed, canceled, or sent. */
  'scheduled:changed': (fact: ScheduledChanged) => void
  /** This admin has seen more of a conversation, or marked it as unread, here or on another device. */
  'conversation:seen': (mark: MovedMark) => void
  /**
   * The hub sends at most five of these a second for each conversation. The counts are hints; the conversation list is
   * authoritative.
   */
  'unread:changed': (fact: UnreadChanged) => void
  /** The answer of `GET /reports/now` may have changed. Sent at most once in NOW_THROTTLE_MS. */
  'now:changed': () => void
}

/** The `data` in the error with which a namespace refuses a connection. */
export interface RefusalData {
  code: 'push-disabled' | 'unauthorized' | 'invalid-input' | 'rate-limited' | 'unavailable'
  retryAfterMs?: number
}
