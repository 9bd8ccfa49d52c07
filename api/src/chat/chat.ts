import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { ConversationRead, UnreadChanged } from '@proctorpass/shared/events'
import {
  CONVERSATIONS_LIMIT_DEFAULT,
  MESSAGE_MAX,
  PAGE_LIMIT_DEFAULT,
  UNREAD_THROTTLE_MS,
} from '@proctorpass/shared/limits'
import type {
  ConversationSummary,
  ConversationsQuery,
  Marked,
  Message,
  Page,
  PageQuery,
  Transport,
  UnreadCount,
} from '@proctorpass/shared/schemas/chat'
import type { Caller } from '../auth/caller.ts'
import { allowanceOf } from '../auth/visitor-key.ts'
import { pointsToStore } from '../limits/limits.ts'
import { newId } from '../storage/ids.ts'
import type { ConversationCursor, MessagePage, Storage } from '../storage/storage.ts'
import { type KeyHashes, opens } from '../storage/visitor-keys.ts'

/** What a call with a wrong key costs its address. */
const WRONG_KEY_POINTS = 20

/**
 * Hears what happened, after whoever caused it has been answered. `except` is the connection that knows already. Of
 * visitors only those may hear of it who came with one of the keys, or all if there is none.
 */
export interface ChatListener {
  messageCreated(message: Message, except: string | undefined, keyHashes: KeyHashes): void
  conversationRead(fact: ConversationRead, except: string | undefined, keyHashes: KeyHashes): void
  /** A conversation that any visitor could enter has its first keys now. */
  keyAdded(clientId: string, keyHashes: KeyHashes): void
  /** At most once in UNREAD_THROTTLE_MS for a conversation, with its latest numbers. */
  unreadChanged(fact: UnreadChanged): void
  /** The same, of what this process itself has changed: for other processes, who ask the store for the total. */
  unreadChangedHere(counts: [clientId: string, adminUnread: number][]): void
}

/** How often something may be done; rejects with AppError `rate-limited`. */
export interface ChatLimits {
  take(kind: 'send' | 'conversation' | 'stored', key: string, points?: number): Promise<unknown>
  /** Never rejects for being used up. */
  charge(kind: 'address', key: string, points: number): Promise<unknown>
}

/** Of one conversation: years of writing, and at most 800 MB of the longest messages. */
export const VISITOR_MESSAGES_MAX = 50_000

export interface SendInput {
  clientId: string
  message: string
  nonce?: string | undefined
  epoch?: string | undefined
  /** Only compared with who the caller is. */
  senderId?: string | undefined
}

export interface Chat {
  /** Resolves when the message is durable; `repeated` when this nonce was stored before. */
  send(caller: Caller, input: SendInput): Promise<{ message: Message; repeated: boolean }>
  /** A conversation that does not exist is an empty page. `markRead`: an admin has read what is returned. */
  page(caller: Caller, clientId: string, query: PageQuery, options?: { markRead?: boolean }): Promise<Page>
  markRead(caller: Caller, clientId: string, seq: number): Promise<Marked>
  /** Removes every message for good. Other open pages notice it by the epoch. Throws AppError `not-found`. */
  erase(caller: Caller, clientId: string): Promise<void>
  /** `next` is the cursor of the next page, null on the last. */
  conversations(
    caller: Caller,
    query: ConversationsQuery,
  ): Promise<{ conversations: ConversationSummary[]; next: string | null }>
  unreadCount(caller: Caller): Promise<UnreadCount>
  /** For the hub alone: callers are never answered whether a conversation exists. */
  exists(clientId: string): Promise<boolean>
  /** The keys of a conversation that the caller may enter; null when it does not exist. For the hub alone. */
  keysOf(caller: Caller, clientId: string): Promise<KeyHashes | null>
  listen(listener: ChatListener): void
  /** Another process has changed a conversation's count. */
  unreadChangedElsewhere(clientId: string, adminUnread: number): void
}

export interface ChatDeps {
  storage: Storage
  transport: Transport
  limits: ChatLimits
  /** Milliseconds since 1970 UTC. */
  now?: () => number
}

/** The use cases of the chat, the same for a REST call and for a socket's command. */
export function createChat({ storage, transport, limits, now = Date.now }: ChatDeps): Chat {
  const listeners: ChatListener[] = []
  let told: ((listener: ChatListener) => void)[] = []

  /** Facts go out at the end of the turn, after every answer that is due in it: who caused them hears first. */
  function tell(fact: (listener: ChatListener) => void): void {
    if (told.length === 0) {
      process.nextTick(() => {
        const facts = told
        told = []
        for (const each of facts) for (const listener of listeners) each(listener)
      })
    }
    told.push(fact)
  }

  /** The latest counts that are to be told, and whether this process has changed them. */
  const unread = new Map<string, { adminUnread: number; here: boolean }>()
  let unreadAt = Number.NEGATIVE_INFINITY

  /** The first change is told at once; what follows within the throttle is told together, the latest of each. */
  function unreadChanged(clientId: string, adminUnread: number, here: boolean): void {
    if (unread.size === 0) {
      const wait = unreadAt + UNREAD_THROTTLE_MS - performance.now()
      if (wait <= 0) setImmediate(tellUnread)
      else setTimeout(tellUnread, wait).unref()
    }
    unread.set(clientId, { adminUnread, here: here || unread.get(clientId)?.here === true })
  }

  async function tellUnread(): Promise<void> {
    unreadAt = performance.now()
    const changed = [...unread]
    unread.clear()
    const here = changed.filter(([, each]) => each.here)
    if (here.length > 0) {
      const counts = here.map(([clientId, { adminUnread }]): [string, number] => [clientId, adminUnread])
      for (const listener of listeners) listener.unreadChangedHere(counts)
    }
    let totalAdminUnread: number
    try {
      totalAdminUnread = await storage.conversations.totalAdminUnread()
    } catch {
      return // A hint: the lists are read again anyway.
    }
    for (const [clientId, { adminUnread }] of changed) {
      for (const listener of listeners) listener.unreadChanged({ totalAdminUnread, clientId, adminUnread })
    }
  }

  async function markRead(caller: Caller, clientId: string, seq: number): Promise<Marked | null> {
    const { keyHash } = visitorIn(caller)
    const marked = await storage.conversations.markRead(clientId, caller.side, seq, keyHash)
    if (marked === null) return null
    const { read, adminUnread, moved, keyHashes } = marked
    await mustEnter(caller, keyHashes)
    const mark = read[caller.side]
    if (moved) {
      const fact: ConversationRead = { clientId, by: caller.side, seq: mark }
      tell((listener) => listener.conversationRead(fact, caller.connection, keyHashes))
      if (caller.side === 'admin') unreadChanged(clientId, adminUnread, true)
    }
    return { seq: mark, adminUnread }
  }

  /** A 256-bit key is not guessed, so the charge is for the work; it is the address's, not the conversation's. */
  async function wrongKey(caller: Caller): Promise<AppError> {
    if (caller.side === 'visitor') await limits.charge('address', caller.address, WRONG_KEY_POINTS)
    return new AppError(
      'forbidden',
      'This conversation belongs to another browser. Please reload the page to start a new one.',
    )
  }

  async function mustEnter(caller: Caller, keyHashes: KeyHashes): Promise<void> {
    if (caller.side === 'visitor' && !opens(keyHashes, caller.keyHash)) throw await wrongKey(caller)
  }

  return {
    async send(caller, input) {
      const senderId = permitted(caller, input.clientId)
      const { keyHash } = visitorIn(caller)
      if (input.senderId !== undefined && input.senderId !== senderId) {
        throw new AppError('forbidden', 'You can only write in your own name.')
      }
      const text = messageText(input.message)
      if (caller.side === 'visitor') {
        await limits.take('send', allowanceOf(caller))
        // Who names an epoch has read the conversation before: only the others may be starting one.
        if (input.epoch === undefined && (await storage.conversations.find(caller.clientId)) === null) {
          await limits.take('conversation', caller.address)
        }
        await limits.take('stored', caller.address, pointsToStore(text))
      }
      const appended = await storage.messages.append({
        clientId: input.clientId,
        senderId,
        message: text,
        nonce: input.nonce ?? newId(),
        epoch: input.epoch,
        visitorMessagesMax: VISITOR_MESSAGES_MAX,
        keyHash,
        at: now(),
      })
      switch (appended.outcome) {
        case 'wrong-key':
          throw await wrongKey(caller)
        case 'nonce-taken':
          throw new AppError('conflict', 'This message was sent before with another text.')
        case 'stale-epoch':
          throw new AppError('stale-epoch', 'This conversation was started anew. Please send again.')
        case 'full':
          throw new AppError(
            'too-large',
            'This conversation cannot get any longer. Please write to us by email or on the contact page.',
          )
        case 'repeated':
          return { message: appended.message, repeated: true }
        case 'stored': {
          const { message, state, keyAdded } = appended
          const { keyHashes } = state
          if (keyAdded) tell((listener) => listener.keyAdded(message.clientId, keyHashes))
          tell((listener) => listener.messageCreated(message, caller.connection, keyHashes))
          if (caller.side === 'visitor') unreadChanged(message.clientId, state.adminUnread, true)
          return { message, repeated: false }
        }
      }
    },

    async page(caller, clientId, query, options = {}) {
      permitted(caller, clientId)
      const { limit = PAGE_LIMIT_DEFAULT } = query
      const page = await storage.messages.page(clientId, { ...query, limit, ...visitorIn(caller) })
      if (page === null) {
        return { messages: [], seq: 0, epoch: '', more: false, read: { visitor: 0, admin: 0 }, transport }
      }
      await mustEnter(caller, page.keyHashes)
      const newest = page.messages.at(-1)
      const unread = newest !== undefined && newest.seq > page.read[caller.side]
      if (options.markRead && newest !== undefined && unread) {
        const marked = await markRead(caller, clientId, newest.seq)
        if (marked !== null) page.read[caller.side] = marked.seq
      }
      return toPage(page, transport)
    },

    async markRead(caller, clientId, seq) {
      permitted(caller, clientId)
      return (await markRead(caller, clientId, seq)) ?? { seq: 0, adminUnread: 0 }
    },

    async erase(caller, clientId) {
      permitted(caller, clientId)
      const { keyHash } = visitorIn(caller)
      if (!(await storage.conversations.erase(clientId, keyHash))) {
        const found = await storage.conversations.find(clientId)
        if (found !== null) await mustEnter(caller, found.keyHashes)
        throw new AppError('not-found', 'There is no such conversation.')
      }
      unreadChanged(clientId, 0, true)
    },

    async conversations(caller, { limit = CONVERSATIONS_LIMIT_DEFAULT, cursor }) {
      mustBeAdmin(caller)
      const after = cursor === undefined ? undefined : parseCursor(cursor)
      const { conversations, next } = await storage.conversations.list({ limit, after })
      return {
        conversations: conversations.map(({ waitingSince, ...rest }) => ({
          ...rest,
          waitingSince: waitingSince === null ? null : new Date(waitingSince).toISOString(),
        })),
        next: next === null ? null : Buffer.from(JSON.stringify(next)).toString('base64url'),
      }
    },

    async unreadCount(caller) {
      mustBeAdmin(caller)
      return { totalAdminUnread: await storage.conversations.totalAdminUnread() }
    },

    exists: async (clientId) => (await storage.conversations.find(clientId)) !== null,
    async keysOf(caller, clientId) {
      permitted(caller, clientId)
      const found = await storage.conversations.find(clientId)
      if (found === null) return null
      await mustEnter(caller, found.keyHashes)
      return found.keyHashes
    },

    listen(listener) {
      listeners.push(listener)
    },

    unreadChangedElsewhere(clientId, adminUnread) {
      unreadChanged(clientId, adminUnread, false)
    },
  }
}

/** Answers in whose name the caller writes there; a visitor reaches only their own conversation. */
function permitted(caller: Caller, clientId: string): string {
  if (caller.side === 'admin') return caller.userId
  if (caller.clientId !== clientId) throw new AppError('forbidden', 'This conversation is not yours.')
  return caller.clientId
}

/** What the store must know of a visitor. */
function visitorIn(caller: Caller): { keyHash?: string | null } {
  return caller.side === 'visitor' ? { keyHash: caller.keyHash } : {}
}

function mustBeAdmin(caller: Caller): void {
  if (caller.side !== 'admin') throw new AppError('forbidden', 'Only an admin may see this.')
}

/** The text as it is stored: trimmed, and nothing that a store or a screen would break on. */
function messageText(raw: string): string {
  const text = raw.trim()
  if (text === '') throw fieldError('message', 'Message is required')
  // Code points are counted only where units do not settle it.
  if (text.length > MESSAGE_MAX && (text.length > 2 * MESSAGE_MAX || [...text].length > MESSAGE_MAX)) {
    throw fieldError('message', `A message can have at most ${MESSAGE_MAX.toLocaleString('en')} characters.`)
  }
  if (text.includes('\0') || !text.isWellFormed()) {
    throw fieldError('message', 'This message holds characters that cannot be sent. Please type it again.')
  }
  return text
}

function toPage({ messages, seq, epoch, more, read }: MessagePage, transport: Transport): Page {
  return { messages, seq, epoch, more, read, transport }
}

function parseCursor(cursor: string): ConversationCursor {
  try {
    const { waitingSince, lastAt, clientId } = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isTime = (value: unknown) => Number.isSafeInteger(value)
    if ((waitingSince === null || isTime(waitingSince)) && isTime(lastAt) && typeof clientId === 'string') {
      return { waitingSince, lastAt, clientId }
    }
  } catch {
    // Falls through to the one answer.
  }
  throw new AppError('invalid-input', 'The cursor is not one that this server gave.', {
    details: [{ field: 'cursor', message: 'Use the address from the Link header.' }],
  })
}
