import type { Side } from '@proctorpass/shared/events'
import type { Message, People, ReadMarks, Transport } from '@proctorpass/shared/schemas/chat'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { ConversationAttachments, PendingAttachment } from './attachments.ts'

/** One side of a conversation. */
export interface Party {
  side: Side
  clientId: string
  /** The clientId for a visitor, the user ID for an admin. */
  senderId: string
}

/** The current transport and its state. */
export interface LinkState {
  connection: 'connecting' | 'connected'
  /**
   * Why there is no connection: `offline`, `unreachable` (the engine retries), or the server's text. Null while
   * connected, and while the reason is unknown.
   */
  trouble: string | null
  /** The current transport, which is `polling` if the server wants it or the socket cannot connect. */
  via: Transport
}

/** A message that the server has not acknowledged. */
export interface PendingMessage {
  nonce: string
  /** May be empty if the message has files. */
  message: string
  files?: readonly PendingAttachment[]
  /** The status that an admin's message gives the conversation. It waits with the message. */
  then?: Then | undefined
  /** The share of the files that was sent, from 0 to 1, while this tab uploads them. */
  progress?: number
  /** Milliseconds by this browser's clock, for display only. */
  typedAt: number
  /**
   * `sending` means queued or on its way. `held` means that an admin's reply waits for review, because the visitor or
   * another admin wrote after it was typed. `canceled` means that the person stopped its upload. `refused` means that
   * the server's answer is final.
   */
  state: 'sending' | 'held' | 'canceled' | 'refused'
  /**
   * The server's message: why it refused this message, or why this one is still queued although the link is connected.
   */
  reason: string | null
}

/** An immutable snapshot of a conversation. Each change makes a new object. */
export interface ConversationState {
  /** False until the first page was read. */
  loaded: boolean
  /** The messages in order of seq, without gaps among those that the server has. */
  messages: readonly Message[]
  /** The admins who wrote the messages, by user ID, if the server named them. */
  people: People
  /** The pending messages in typing order. */
  pending: readonly PendingMessage[]
  /** Whether older messages exist above the first one. */
  hasOlder: boolean
  /** Whether old messages are shown (see `history`), so that newer ones exist below the last one. */
  hasNewer?: boolean
  loadingOlder: boolean
  read: ReadMarks
  /** Always false without push. */
  visitorTyping: boolean
  /** Whether another admin is typing, for an admin. Always false without push. */
  adminTyping: boolean
  /** The other side's presence. Null while unknown, as with polling. */
  peerOnline: boolean | null
  /** What the visitor is asked for. Null for an admin. */
  ask: 'rating' | null
  /** Whether the messages were erased while they were shown, and none was written since. */
  erased: boolean
}

export interface ArrivedMessages {
  /** The messages in order of seq, without this person's own. */
  messages: readonly Message[]
  /** False for the first page. */
  live: boolean
}

/** Shows old messages without those between them and the newest ones. */
export interface ConversationHistory {
  /**
   * Shows the messages around this one, until they reach the newest ones or `showNewest` is called. Resolves to false
   * if the conversation has no such message.
   */
  showAround(seq: number): Promise<boolean>
  /** Reads more messages below the last one, while `hasNewer` is true. */
  loadNewer(): Promise<void>
  showNewest(): void
}

/** One conversation as a view sees it, which is the same for visitor and admin, push and polling. */
export interface Conversation {
  readonly clientId: string
  /** Starts to sync the conversation. Idempotent. */
  start(): void
  /** From now on, syncs the conversation only while it has unsent messages. */
  stop(): void
  getState(): ConversationState
  subscribe(listener: () => void): () => void
  /** Notifies once of each message from others, whether pushed or read. */
  onArrived(listener: (arrived: ArrivedMessages) => void): () => void
  /**
   * Puts the trimmed text into the outbox with files whose bytes are stored. Ignores an empty text without files.
   * Messages are sent in typing order. `then` is the status that an admin's message gives the conversation.
   */
  send(message: string, files?: readonly PendingAttachment[], then?: Then): void
  /**
   * Sends a held, canceled, or refused message again: a refused one with a new nonce, and without one of its files if
   * given.
   */
  retry(nonce: string, without?: string): void
  /** Stops the upload of a message's files. */
  cancel(nonce: string): void
  /** Loads the code that sends and shows files. */
  openAttachments(): Promise<ConversationAttachments>
  /** Removes a held, canceled, or refused message. Only the person decides this. */
  discard(nonce: string): void
  loadOlder(): Promise<void>
  /** Missing for visitors. */
  readonly history?: ConversationHistory | undefined
  /** Call this when the person has seen everything up to `seq` on the screen, in a visible tab. */
  markSeen(seq: number): void
  /** Erases the conversation on the server, for both sides, and reads it again. Rejects with an AppError. */
  erase(): Promise<void>
  /**
   * Rates the conversation while `ask` wants it. Repeating the same rating after a lost answer is no error. Rejects
   * with an AppError: `conflict` if no rating is wanted anymore. Only visitors call this.
   */
  rate(score: number, words?: string): Promise<void>
  /** Resolves to a file with everything stored about the visitor. Rejects with an AppError. */
  download(): Promise<ConversationExport>
  /** Call this with true on each keystroke, and with false when the text is sent or left. It throttles. */
  setTyping(typing: boolean): void
}
