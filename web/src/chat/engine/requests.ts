import { AppError, fromWireError } from '@proctorpass/shared/errors'
import type { Ack } from '@proctorpass/shared/events'
import { FRAME_BYTES_MAX } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type {
  Marked,
  Message,
  Page,
  PageQuery,
  PostedMessage,
  PostRating,
  Transport,
} from '@proctorpass/shared/schemas/chat'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { VisitorPush } from './push.ts'
import type { Party } from './types.ts'

/** Calls REST under API_PREFIX. Rejects with an AppError. */
export type Request = <T>(
  path: string,
  options?: {
    method?: string
    body?: unknown
    signal?: AbortSignal
    keepalive?: boolean
    visitorKey?: string
  },
) => Promise<T>

export interface OutgoingMessage {
  nonce: string
  message: string
  epoch?: string
  /** The IDs of uploaded files. */
  attachments?: string[]
  then?: Then | undefined
}

/** One conversation's requests, sent by the socket if it is up and acknowledges, and by REST otherwise. */
export interface ConversationRequests {
  sync(query: PageQuery): Promise<Page>
  /**
   * Sends the message. Awaits `beforeRest` if the socket is down or did not acknowledge; if `beforeRest` rejects,
   * nothing is sent by REST.
   */
  send(message: OutgoingMessage, beforeRest: () => Promise<void>): Promise<Message>
  /** Sends the message by REST while the page is left, without waiting for the answer. */
  sendAndLeave(message: OutgoingMessage): void
  markRead(seq: number): Promise<Marked>
  erase(): Promise<void>
  rate(rating: PostRating): Promise<void>
  download(): Promise<ConversationExport>
  /** Sends by the socket only. Returns false if the socket is not up. */
  setTyping(typing: boolean): boolean
}

/** The hub's commands for one conversation. They resolve to null if not acknowledged. */
export interface ConversationCommands {
  sync(query: PageQuery): Promise<Ack<Page> | null>
  send(message: OutgoingMessage): Promise<Ack<Message> | null>
  markRead(seq: number): Promise<Ack<Marked> | null>
  setTyping(typing: boolean): boolean
}

export const visitorCommands = (push: VisitorPush): ConversationCommands => ({
  sync: (query) => push.ask((socket) => socket.emitWithAck('conversation:sync', query)),
  send: (message) => push.ask((socket) => socket.emitWithAck('message:send', message)),
  markRead: (seq) => push.ask((socket) => socket.emitWithAck('conversation:read', { seq })),
  setTyping: (typing) => push.emit((socket) => socket.emit('typing:set', { typing })),
})

const REST_TIMEOUT_MS = 15_000
/** The bytes for the event's name, the namespace, and the packet's syntax. */
const FRAME_ROOM = 384

export function createRequests(
  options: Party & {
    commands: ConversationCommands
    /** The conversation's path for this side. */
    pagePath: string
    request: Request
    /** The ID of the site in whose frame a visitor writes. */
    site?: string | null
    /** Called with the transport that the server wants, which a page read by REST names. */
    onTransport: (transport: Transport) => void
    /** Called when the server refuses this visitor the conversation. */
    onRefused?: () => void
  },
): ConversationRequests {
  const { clientId, senderId, commands, pagePath, request, site, onTransport, onRefused } = options

  async function withFallback<T>(command: Promise<Ack<T> | null> | null, rest: () => Promise<T>): Promise<T> {
    const answer = await command
    try {
      return answer === null ? await rest() : unwrap(answer)
    } catch (error) {
      if (error instanceof AppError && error.code === 'forbidden') onRefused?.()
      throw error
    }
  }

  const post = <T>(path: string, body: object) =>
    // With keepalive, a message that is sent while the page is left still goes out.
    request<T>(path, { method: 'POST', body, keepalive: true, signal: AbortSignal.timeout(REST_TIMEOUT_MS) })

  const postMessage = (message: OutgoingMessage) =>
    post<PostedMessage>(paths.chat, { senderId, clientId, ...message, ...(site && { site }) })

  return {
    sync: (query) =>
      withFallback(commands.sync(query), async () => {
        // An admin's GET without `before` marks the returned messages as read.
        const given = query.after === undefined ? { before: Number.MAX_SAFE_INTEGER, ...query } : query
        // URLSearchParams converts the numbers to text.
        const search = new URLSearchParams(given as Record<string, never>)
        const page = await request<Page>(`${pagePath}?${search}`, {
          signal: AbortSignal.timeout(REST_TIMEOUT_MS),
        })
        if (!Array.isArray(page?.messages)) throw malformedAnswer()
        onTransport(page.transport)
        return page
      }),
    send: (message, beforeRest) => {
      const body = { clientId, ...message }
      return withFallback(fitsFrame(body) ? commands.send(message) : null, async () => {
        await beforeRest()
        const { data } = await postMessage(message)
        // A cache may answer one message with its stored answer to another.
        if (typeof data?.seq !== 'number' || data.nonce !== message.nonce) throw malformedAnswer()
        return data
      })
    },
    sendAndLeave: (message) => void postMessage(message).catch(() => {}),
    markRead: (seq) => withFallback(commands.markRead(seq), () => post<Marked>(`${pagePath}/read`, { seq })),
    erase: () => request(pagePath, { method: 'DELETE', signal: AbortSignal.timeout(REST_TIMEOUT_MS) }),
    rate: (rating) => post(paths.conversationRating(clientId), rating),
    download: () => request(paths.conversationExport(clientId)),
    setTyping: commands.setTyping,
  }
}

function fitsFrame(input: object): boolean {
  return new TextEncoder().encode(JSON.stringify(input)).length < FRAME_BYTES_MAX - FRAME_ROOM
}

function unwrap<T>(answer: Ack<T>): T {
  if (answer.ok) return answer.data
  throw fromWireError(answer.error) ?? malformedAnswer()
}

/** Creates the error for an answer that a proxy gave in place of the server. */
const malformedAnswer = () => new AppError('unavailable', 'The server sent an unexpected answer.')
