import type { OutgoingHttpHeaders } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { publicLookup, refusePrivateAddress } from './addresses.ts'
import type { AllowedHost } from './hosts.ts'

const ANSWER_WITHIN_MS = 10_000
/** Characters of an answer that are read, for the log. */
const ANSWER_MAX = 500
const HEADERS_MAX = 8 * 1_024
/** To one server. A burst of requests must leave time for messages: TLS begins on the event loop. */
const CONNECTIONS_MAX = 8
const IDLE_MS = 4_000
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 60 * 60 * 1_000

export interface Answer {
  status: number
  /** The pause that a Retry-After header asks for, at most an hour; null without one. */
  pauseMs: number | null
  /** The begin of an answer that is no success. */
  text: string
}

interface OutboundRequest {
  /** What allows the URL: see `hostOf`. */
  host: AllowedHost
  headers: OutgoingHttpHeaders
  body: Buffer
}

/**
 * Settles within 10 s, and follows no redirect. Rejects with NotAllowed when the URL leads to a private address and the
 * operator did not name its host, and with another error when the server gives no answer.
 */
export type Post = (url: string, request: OutboundRequest) => Promise<Answer>

interface PostDeps {
  now: () => number
  answerWithinMs?: number
}

/** What posts through one of these shares its connections. */
export function createPost({ now, answerWithinMs = ANSWER_WITHIN_MS }: PostDeps): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS })
  return async (url, { host, headers, body }) => {
    if (!host.own) refusePrivateAddress(url)
    const options = {
      ...{ method: 'POST', headers, agent, maxHeaderSize: HEADERS_MAX },
      signal: AbortSignal.timeout(answerWithinMs),
      ...(host.own ? {} : { lookup: publicLookup }),
    }
    const { status, retryAfter, text } = await posted(url, body, options)
    return { status, text, pauseMs: retryAfter === undefined ? null : pauseIn(retryAfter, now()) }
  }
}

interface Received {
  status: number
  retryAfter: string | undefined
  text: string
}

/** Follows no redirect: `request` never does. */
function posted(url: string, body: Buffer, options: RequestOptions): Promise<Received> {
  return new Promise((resolve, reject) => {
    let answer: Received | null = null
    const sent = request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response
      const begun: Received = { status, retryAfter: headers['retry-after'], text: '' }
      answer = begun
      // Only what goes wrong has something to say.
      if (status < 300) resolve(begun)
      response.setEncoding('latin1')
      response.on('data', (part: string) => {
        begun.text = (begun.text + part).slice(0, ANSWER_MAX)
        if (begun.text.length === ANSWER_MAX) response.destroy()
      })
      response.on('error', () => {})
      response.on('close', () => resolve(begun))
    })
    // The status counts, also when the rest of the answer never arrives.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (answer !== null) resolve(answer)
      // The server closed the idle connection meanwhile.
      else if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(posted(url, body, options))
      else reject(error)
    })
    sent.end(body)
  })
}

/** Of a Retry-After header, in seconds or as a date. */
function pauseIn(retryAfter: string, now: number): number | null {
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, PAUSE_MIN_MS), PAUSE_MAX_MS)
}
