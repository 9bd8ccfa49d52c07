import { AppError, fromWireError } from '@proctorpass/shared/errors'
import type { Ack, Side } from '@proctorpass/shared/events'
import { FRAME_BYTES_MAX } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { Marked, Message, Page, PageQuery, PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { Done } from '@proctorpass/shared/schemas/list'
import type { ChatLink } from './link.ts'

/** Calls REST under API_PREFIX; rejects with AppError. */
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

/** What is asked of the server about one conversation: by the socket if it is up and answers, else by REST. */
export interface Wire {
  sync(query: PageQuery): Promise<Page>
  send(message: { nonce: string; message: string; epoch: string }): Promise<Message>
  read(seq: number): Promise<Marked>
  erase(): Promise<void>
  /** Push only: false when nobody could be told. */
  typing(typing: boolean): boolean
}

/** A request without an answer is given up after this. */
const REST_TIMEOUT_MS = 15_000
/** For the event's name, the namespace and the packet's own marks. */
const FRAME_ROOM = 384

export function createWire(options: {
  side: Side
  clientId: string
  /** The clientId for a visitor, the user id for an admin. */
  senderId: string
  link: ChatLink
  request: Request
  /** The server does not let this visitor into the conversation. */
  onRefused?: () => void
}): Wire {
  const { side, clientId, senderId, link, request, onRefused } = options
  /** A visitor's conversation is the connection's. */
  const whose = side === 'admin' ? { clientId } : {}
  const pagePath = side === 'admin' ? paths.adminConversation(clientId) : paths.conversation(clientId)
  const readPath = side === 'admin' ? paths.adminConversationRead(clientId) : paths.conversationRead(clientId)

  async function ask<T>(event: string, input: object, rest: () => Promise<T>): Promise<T> {
    const bytes = new TextEncoder().encode(JSON.stringify(input)).length
    const answer = bytes < FRAME_BYTES_MAX - FRAME_ROOM ? await link.push.ask(event, input) : null
    try {
      return answer === null ? await rest() : unwrap(answer as Ack<T>)
    } catch (error) {
      if (error instanceof AppError && error.code === 'forbidden') onRefused?.()
      throw error
    }
  }

  const post = <T>(path: string, body: object) =>
    // Kept alive, so that what was sent in the moment of leaving the page still goes out.
    request<T>(path, { method: 'POST', body, keepalive: true, signal: AbortSignal.timeout(REST_TIMEOUT_MS) })

  return {
    sync: (query) =>
      ask('conversation:sync', { ...whose, ...query }, async () => {
        // An admin's plain GET marks as read what it returned; one that asks for older ones does not.
        const given = query.after === undefined ? { before: Number.MAX_SAFE_INTEGER, ...query } : query
        const search = new URLSearchParams(
          Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]),
        )
        const page = await request<Page>(`${pagePath}?${search}`, {
          signal: AbortSignal.timeout(REST_TIMEOUT_MS),
        })
        if (!Array.isArray(page?.messages)) throw unintelligible()
        link.told(page.transport)
        return page
      }),
    send: ({ nonce, message, epoch }) => {
      const known = epoch === '' ? {} : { epoch }
      return ask('message:send', { ...whose, nonce, message, ...known }, async () => {
        const { data } = await post<PostedMessage>(paths.chat, {
          message,
          clientId,
          senderId,
          nonce,
          ...known,
        })
        if (typeof data?.seq !== 'number') throw unintelligible()
        return data
      })
    },
    read: (seq) => ask('conversation:read', { ...whose, seq }, () => post<Marked>(readPath, { seq })),
    erase: async () => {
      const signal = AbortSignal.timeout(REST_TIMEOUT_MS)
      await request<Done>(paths.conversation(clientId), { method: 'DELETE', signal })
    },
    typing: (typing) => link.push.tell('typing:set', { ...whose, typing }),
  }
}

function unwrap<T>(answer: Ack<T>): T {
  if (answer.ok) return answer.data
  throw fromWireError(answer.error) ?? unintelligible()
}

/** Something between here and the server answered in its place. */
const unintelligible = () => new AppError('unavailable', 'The answer made no sense.')
