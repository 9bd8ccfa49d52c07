import { createHash } from 'node:crypto'
import { type LookupAddress, lookup } from 'node:dns'
import { Agent, request } from 'node:https'
import { BlockList, type LookupFunction } from 'node:net'
import type { PushPayload } from '@proctorpass/shared/schemas/push'
import { hostOf, type PushHost } from '../env/push-hosts.ts'
import type { SubscriptionRecord } from '../storage/port/subscriptions.ts'
import type { VapidKeys } from './vapid.ts'
import { encryptPush, vapidAuthorization } from './web-push.ts'

const ANSWER_WITHIN_MS = 10_000
/** How long a push service keeps a notification for a browser that is offline. */
const KEEP_SECONDS = 4 * 60 * 60
const WAIT_DEFAULT_MS = 60_000
const WAIT_MAX_MS = 60 * 60 * 1_000
/** Characters of an answer that are read, for the log. */
const ANSWER_MAX = 500
const HEADERS_MAX = 8 * 1_024
/** To one push service. A burst of notifications must leave time for messages: TLS begins on the event loop. */
const CONNECTIONS_MAX = 8
const IDLE_MS = 4_000
/** How long a signature is used: each costs more than the encryption of a push. */
const SIGNED_FOR_MS = 60 * 60 * 1_000
const SIGNATURES_MAX = 100

/**
 * `gone`: the browser has unsubscribed. `later`: the service is away or busy; `afterMs` when it named a pause.
 * `refused`: it will never accept this, or the address is not allowed.
 */
export type PushAnswer =
  | { outcome: 'sent' | 'gone' | 'refused' }
  | { outcome: 'later'; afterMs: number | null }

/** Never rejects, and settles within 10 s. */
export type SendPush = (subscription: SubscriptionRecord, payload: PushPayload) => Promise<PushAnswer>

interface PushServiceDeps {
  hosts: readonly PushHost[]
  keys: () => Promise<VapidKeys>
  /** Whom a push service may contact: an `https:` or `mailto:` URL. */
  subject: string
  now: () => number
  log: PushLog
  answerWithinMs?: number
}

export interface PushLog {
  warn(context: object, message: string): void
}

export function createSendPush(deps: PushServiceDeps): SendPush {
  const { hosts, keys, subject, now, log, answerWithinMs = ANSWER_WITHIN_MS } = deps
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS })
  const signatures = new Map<string, { headers: { Authorization: string }; at: number }>()

  /** Tells the push service of this origin who sends: RFC 8292. */
  async function signature(origin: string): Promise<{ Authorization: string }> {
    const own = await keys()
    const known = signatures.get(origin)
    if (known !== undefined && Math.abs(now() - known.at) < SIGNED_FOR_MS) return known.headers
    const Authorization = vapidAuthorization(origin, subject, own)
    if (signatures.size >= SIGNATURES_MAX) signatures.clear()
    signatures.set(origin, { headers: { Authorization }, at: now() })
    return { Authorization }
  }

  return async (subscription, payload) => {
    const { endpoint } = subscription
    const host = hostOf(endpoint, hosts)
    // The rest of the address is a secret of the browser.
    const { hostname = '', origin = '' } = URL.parse(endpoint) ?? {}
    const failed = (outcome: 'gone' | 'refused' | 'later', reason: object) => {
      log.warn({ host: hostname, outcome, ...reason }, 'push failed')
    }
    if (host === null) {
      failed('refused', { reason: 'PUSH_HOSTS does not have this host' })
      return { outcome: 'refused' }
    }
    try {
      const { body, headers } = encrypted(subscription, payload)
      const signed = { ...headers, ...(await signature(origin)) }
      const answer = await posted(endpoint, {
        agent,
        body,
        headers: signed,
        isPublic: !host.own,
        answerWithinMs,
      })
      const judged = judge(answer, now())
      if (judged.outcome !== 'sent') failed(judged.outcome, { status: answer.status, answer: answer.text })
      return judged
    } catch (error) {
      const outcome = error instanceof NotAllowed ? 'refused' : 'later'
      failed(outcome, { err: error })
      return outcome === 'refused' ? { outcome } : { outcome, afterMs: null }
    }
  }
}

/** The message as the browser reads it, and what the push service needs: RFC 8291 and 8030. */
function encrypted(subscription: SubscriptionRecord, payload: PushPayload) {
  let body: Buffer
  try {
    body = encryptPush(JSON.stringify(payload), subscription)
  } catch (error) {
    throw new NotAllowed('The keys of the subscription are malformed.', { cause: error })
  }
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Encoding': 'aes128gcm',
    'Content-Length': body.length,
    TTL: KEEP_SECONDS,
    Urgency: 'high',
    // A later notification of a conversation replaces the earlier one also where it waits for the browser.
    Topic: createHash('sha256').update(payload.tag).digest('base64url').slice(0, 32),
  }
  return { body, headers }
}

interface Answer {
  status: number
  retryAfter: string | undefined
  text: string
}

interface Posted {
  agent: Agent
  body: Buffer
  headers: object
  isPublic: boolean
  answerWithinMs: number
}

/** Follows no redirect: `request` never does. */
function posted(endpoint: string, options: Posted): Promise<Answer> {
  const { agent, body, headers, isPublic, answerWithinMs } = options
  return new Promise((resolve, reject) => {
    const how = {
      ...{ method: 'POST', headers: { ...headers }, agent, maxHeaderSize: HEADERS_MAX },
      signal: AbortSignal.timeout(answerWithinMs),
      ...(isPublic ? { lookup: publicLookup } : {}),
    }
    let answer: Answer | null = null
    const sent = request(endpoint, how, (response) => {
      const { statusCode: status = 0, headers } = response
      const begun: Answer = { status, retryAfter: headers['retry-after'], text: '' }
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
      // The service closed the idle connection meanwhile.
      else if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(posted(endpoint, options))
      else reject(error)
    })
    sent.end(body)
  })
}

function judge({ status, retryAfter }: Answer, now: number): PushAnswer {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  const named = retryAfter === undefined ? null : pauseIn(retryAfter, now)
  if (status === 429) return { outcome: 'later', afterMs: named ?? WAIT_DEFAULT_MS }
  return status >= 500 ? { outcome: 'later', afterMs: named } : { outcome: 'refused' }
}

/** Of a Retry-After header, in seconds or as a date. */
function pauseIn(retryAfter: string, now: number): number | null {
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), WAIT_MAX_MS)
}

class NotAllowed extends Error {}

const PRIVATE = new BlockList()
for (const [address, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
  ] as const),
  ...([
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ] as const),
  ...([
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
]) {
  PRIVATE.addSubnet(address, bits, 'ipv4')
}
/** The addresses of IPv6 that are in public use; those with an IPv4 address inside are not needed. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6')
const TUNNELS_V6 = new BlockList()
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const) {
  TUNNELS_V6.addSubnet(address, bits, 'ipv6')
}

export function isPublicAddress({ address, family }: LookupAddress): boolean {
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  return PUBLIC_V6.check(address, 'ipv6') && !TUNNELS_V6.check(address, 'ipv6')
}

/** For a name that the operator did not choose: it must not lead into their network. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const refused = error ?? (addresses.every(isPublicAddress) ? null : new NotAllowed('a private address'))
    const [first] = addresses ?? []
    if (refused !== null || first === undefined) callback(refused ?? new NotAllowed('no address'), '', 0)
    else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
