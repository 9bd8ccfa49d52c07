import type { Side } from '@proctorpass/shared/events'
import type { Message, People, ReadMarks, Transport } from '@proctorpass/shared/schemas/chat'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import type { ConversationAttachments, PendingAttachment } from './attachments.ts'

/** One side of one conversation. */
export interface Party {
  side: Side
  clientId: string
  /** The clientId for a visitor, the user id for an admin. */
  senderId: string
}

/** The current transport and its state. */
export interface LinkState {
  connection: 'connecting' | 'connected'
  /**
   * Why there is no connection: `offline`, `unreachable` (it is tried again), or a text of the server. Null while
   * connected, and while the reason is not known.
   */
  trouble: string | null
  /** `polling`: the server wants it, or the socket cannot connect. */
  via: Transport
}

/** A message that the server has not acknowledged. */
export interface PendingMessage {
  nonce: string
  /** May be empty with files. */
  message: string
  files?: readonly PendingAttachment[]
  /** The share of the files that was sent, from 0 to 1, while this tab uploads them. */
  progress?: number
  /** Milliseconds of this browser's clock, for display only. */
  typedAt: number
  /**
   * `sending`: queued or on its way. `held`: an admin's reply that waits for review, because the visitor or another
   * admin wrote after it was typed. `canceled`: the person stopped its upload. `refused`: the server's answer is final.
   */
  state: 'sending' | 'held' | 'canceled' | 'refused'
  /** The server's message: why it was refused, or why it is still queued although the link is connected. */
  reason: string | null
}

/** An immutable snapshot of a conversation: each change makes a new object. */
export interface ConversationState {
  /** False until the first page was read. */
  loaded: boolean
  /** In order of seq, without gaps as far as the server has the messages. */
  messages: readonly Message[]
  /** The admins who wrote them, by user id, as far as the server named them. */
  people: People
  /** In typing order. */
  pending: readonly PendingMessage[]
  /** Whether older messages exist above the first one. */
  hasOlder: boolean
  /** Old messages are shown, see `history`: newer ones exist below the last one. */
  hasNewer?: boolean
  loadingOlder: boolean
  read: ReadMarks
  /** Push only. */
  visitorTyping: boolean
  /** For an admin: another admin. Push only. */
  adminTyping: boolean
  /** Presence of the other side; null while not known (polling). */
  peerOnline: boolean | null
  /** What the visitor is asked for; null for an admin. */
  ask: 'rating' | null
  /** Its messages were erased while it was shown, and none was written since. */
  erased: boolean
}

export interface ArrivedMessages {
  /** In order of seq, without this person's own. */
  messages: readonly Message[]
  /** False for the first page. */
  live: boolean
}

/** Shows old messages without those between them and the newest. */
export interface ConversationHistory {
  /**
   * Shows the messages around this one, until they reach the newest ones or `showNewest` is called. False when the
   * conversation has no such message.
   */
  showAround(seq: number): Promise<boolean>
  /** Reads more of the messages below the last one, while `hasNewer`. */
  loadNewer(): Promise<void>
  showNewest(): void
}

/** One conversation as a view sees it: the same for visitor and admin, push and polling. */
export interface Conversation {
  readonly clientId: string
  /** From now on the conversation is synced. Idempotent. */
  start(): void
  /** From now on it is synced only while it has unsent messages. */
  stop(): void
  getState(): ConversationState
  subscribe(listener: () => void): () => void
  /** Notifies of each message of others once, pushed or read. */
  onArrived(listener: (arrived: ArrivedMessages) => void): () => void
  /**
   * Puts the trimmed text into the outbox with files that are kept; ignores an empty text without files. Messages are
   * sent in typing order.
   */
  send(message: string, files?: readonly PendingAttachment[]): void
  /** Sends a held, canceled or refused message again; a refused one with a new nonce, and without a file of it if given. */
  retry(nonce: string, without?: string): void
  /** Stops the upload of a message's files. */
  cancel(nonce: string): void
  /** Loads what sends and shows files. */
  openAttachments(): Promise<ConversationAttachments>
  /** Removes a held, canceled or refused message. Only the person decides this. */
  discard(nonce: string): void
  loadOlder(): Promise<void>
  /** Not for visitors. */
  readonly history?: ConversationHistory | undefined
  /** The person has seen everything up to `seq`, on screen in a visible tab. */
  markSeen(seq: number): void
  /** Erases the conversation on the server, for both sides, and reads it again. Rejects with AppError. */
  erase(): Promise<void>
  /**
   * Rates the conversation while `ask` wants it. Repeating the same rating after a lost answer is no error. Rejects with
   * AppError, `conflict` when none is wanted any more. Only for visitors.
   */
  rate(score: number, words?: string): Promise<void>
  /** Everything stored about the visitor, as a file. Rejects with AppError. */
  download(): Promise<ConversationExport>
  /** Call on each keystroke with true, and with false when the text is sent or left. It throttles. */
  setTyping(typing: boolean): void
}
