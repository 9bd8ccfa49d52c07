import type { OutgoingHttpHeaders } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { publicLookup, refusePrivateAddress } from './addresses.ts'
import type { AllowedHost } from './hosts.ts'

// An import of node:http loads undici: docs/decisions/0041-server-bundle.md.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')

const ANSWER_WITHIN_MS = 10_000
/** How many bytes of an answer are read, for the log. */
const ANSWER_MAX = 500
const HEADERS_MAX = 8 * 1_024
/**
 * The most connections to one server. A burst of requests must leave time for messages, because TLS begins on the event
 * loop.
 */
const CONNECTIONS_MAX = 8
const IDLE_MS = 4_000
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 60 * 60 * 1_000

export interface Answer {
  status: number
  /** The pause that a Retry-After header asks for, at most `pauseMaxMs`. Null without the header. */
  pauseMs: number | null
  /** The beginning of the answer. A successful answer's text is empty unless `readsSuccess` is set. */
  text: string
}

interface OutboundRequest {
  /** The host that allows the URL: see `hostOf`. */
  host: AllowedHost
  headers: OutgoingHttpHeaders
  body: Buffer
  /** Aborts the request. */
  signal?: AbortSignal
}

/**
 * Sends a POST request. Settles within 10 s, and follows no redirect. Rejects with a NotAllowed if the URL leads to a
 * private address and the operator did not name its host, and with another error if the server gives no answer.
 */
export type Post = (url: string, request: OutboundRequest) => Promise<Answer>

interface PostDeps {
  now: () => number
  answerWithinMs?: number
  /** The most connections to one server. */
  connectionsMax?: number
  /** The longest answer, in bytes. */
  answerMax?: number
  pauseMaxMs?: number
  /** If not set, the body of a successful answer is not waited for. */
  readsSuccess?: boolean
}

/** Creates a function that sends requests over shared connections. */
export function createPost({
  now,
  answerWithinMs = ANSWER_WITHIN_MS,
  connectionsMax = CONNECTIONS_MAX,
  answerMax = ANSWER_MAX,
  pauseMaxMs = PAUSE_MAX_MS,
  readsSuccess = false,
}: PostDeps): Post {
  const connections = { keepAlive: true, maxSockets: connectionsMax, timeout: IDLE_MS }
  const agent = new Agent(connections)
  const httpAgent = new HttpAgent(connections)
  return async (url, { host, headers, body, signal }) => {
    if (!host.own) refusePrivateAddress(url)
    const timeout = AbortSignal.timeout(answerWithinMs)
    const options = {
      ...{ method: 'POST', headers, agent: host.http ? httpAgent : agent, maxHeaderSize: HEADERS_MAX },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      ...(host.own ? {} : { lookup: publicLookup }),
    }
    const { status, retryAfter, answer } = await posted({ url, body, options, answerMax, readsSuccess })
    const pauseMs = retryAfter === undefined ? null : pauseIn(retryAfter, now(), pauseMaxMs)
    return { status, text: answer.toString(), pauseMs }
  }
}

interface Sending {
  url: string
  body: Buffer
  options: RequestOptions
  answerMax: number
  readsSuccess: boolean
}

interface Received {
  status: number
  retryAfter: string | undefined
  answer: Buffer
}

/** Sends the request. `request` never follows a redirect. */
function posted(sending: Sending): Promise<Received> {
  const { url, body, options, answerMax, readsSuccess } = sending
  return new Promise((resolve, reject) => {
    let received: Received | null = null
    const sent = (url.startsWith('http:') ? httpRequest : request)(url, options, (response) => {
      const { statusCode: status = 0, headers } = response
      const begun: Received = { status, retryAfter: headers['retry-after'], answer: Buffer.alloc(0) }
      received = begun
      if (status < 300 && !readsSuccess) resolve(begun)
      response.on('data', (part: Buffer) => {
        begun.answer = Buffer.concat([begun.answer, part]).subarray(0, answerMax)
        if (begun.answer.length === answerMax) response.destroy()
      })
      response.on('error', () => {})
      response.on('close', () => resolve(begun))
    })
    // The status counts, even if the rest of the answer never arrives.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (received !== null) resolve(received)
      // The server closed the idle connection in the meantime.
      else if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(posted(sending))
      else reject(error)
    })
    sent.end(body)
  })
}

/** Returns the pause that a Retry-After header asks for, in seconds or as a date. */
function pauseIn(retryAfter: string, now: number, maxMs: number): number | null {
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, PAUSE_MIN_MS), maxMs)
}
