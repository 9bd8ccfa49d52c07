import type { Side } from '@proctorpass/shared/events'
import type { Message, ReadMarks } from '@proctorpass/shared/schemas/chat'

/** One side of one conversation. */
export interface Party {
  side: Side
  clientId: string
  /** The clientId for a visitor, the user id for an admin. */
  senderId: string
}

/**
 * How the browser and the server talk now. `connecting`: not yet, or not any more; `offline` says why in words
 * when the reason is known to be the network or the server.
 */
export interface LinkState {
  connection: 'connecting' | 'connected'
  /** A line for a person, or null while all is well or still young. */
  trouble: string | null
  /** What carries messages at this moment; `polling` both when told to and while a socket cannot connect. */
  via: 'push' | 'polling'
}

/** What a person wrote that the server has not acknowledged. In the order in which it was typed. */
export interface PendingMessage {
  nonce: string
  message: string
  /** Milliseconds; this browser's clock, for display only. */
  typedAt: number
  /**
   * `sending`: under way or waiting for its turn. `held`: an admin's reply, typed before the visitor wrote
   * again: it waits for a look. `refused`: the server plainly said no.
   */
  state: 'sending' | 'held' | 'refused'
  /** The server's words: why it was refused, or why it still waits although the link is well. */
  reason: string | null
}

/** An immutable picture of a conversation: a new object whenever anything in it changes. */
export interface ConversationState {
  /** False until the first page was read. */
  loaded: boolean
  /** In order of seq, without holes as far as the server knows. */
  messages: readonly Message[]
  pending: readonly PendingMessage[]
  /** Whether older messages exist above the first one. */
  hasOlder: boolean
  loadingOlder: boolean
  read: ReadMarks
  /** Somebody on the other side (or, for an admin, another admin) is typing. Push only. */
  visitorTyping: boolean
  adminTyping: boolean
  /** Whether the other side is there; null when not known (polling). */
  peerOnline: boolean | null
}

export interface ArrivedMessages {
  /** In order of seq; never messages of this browser's own outbox. */
  messages: readonly Message[]
  /** False for what was already there when the conversation was first read. */
  live: boolean
}

/** One conversation as a view sees it; the same for a visitor and an admin, pushed or polled. */
export interface Conversation {
  readonly clientId: string
  /** Starts reading and keeps it level. Idempotent. */
  start(): void
  /** Stops timers and listeners; what is in the outbox stays in the outbox. */
  stop(): void
  getState(): ConversationState
  subscribe(listener: () => void): () => void
  /** Messages of others that arrived by whatever way, once each. */
  onArrived(listener: (arrived: ArrivedMessages) => void): () => void
  /** Puts the text into the outbox and sends it when its turn comes. Text is trimmed; empty text is ignored. */
  send(message: string): void
  /** Sends a held or refused message after all; a refused one under a new nonce. */
  retry(nonce: string): void
  /** Removes a held or refused message, on the person's own wish only. */
  discard(nonce: string): void
  loadOlder(): Promise<void>
  /** The person has seen everything up to `seq`: on screen, in a visible tab. Moves forwards only. */
  markSeen(seq: number): void
  /** Erases everything on the server, for both sides and for good, and starts over. Rejects with AppError. */
  erase(): Promise<void>
  /** Call on each keystroke with true, on sending and on leaving with false; it is throttled here. */
  setTyping(typing: boolean): void
}
