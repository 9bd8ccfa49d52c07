import { createHash } from 'node:crypto'
import type { PushPayload } from '@proctorpass/shared/schemas/push'
import { NotAllowed } from '../outbound/addresses.ts'
import { type AllowedHost, hostOf } from '../outbound/hosts.ts'
import type { Answer, Post } from '../outbound/post.ts'
import type { SubscriptionRecord } from '../storage/model/subscriptions.ts'
import { encryptPush } from './web-push.ts'

/** How long a push service keeps a notification for a browser that is offline. */
const KEEP_SECONDS = 4 * 60 * 60
const WAIT_DEFAULT_MS = 60_000

/**
 * The outcome of a push. `gone` means that the browser has unsubscribed; `later`, that the service is down or busy,
 * with `afterMs` if it named a pause; `refused`, that it will never accept this push, or that the address is not
 * allowed.
 */
export type PushAnswer =
  | { outcome: 'sent' | 'gone' | 'refused' }
  | { outcome: 'later'; afterMs: number | null }

/** Sends one push. Never rejects, and settles within 10 s. */
export type SendPush = (subscription: SubscriptionRecord, payload: PushPayload) => Promise<PushAnswer>

interface SendPushDeps {
  hosts: readonly AllowedHost[]
  /** Returns the Authorization header for a push service: see `createAuthorizations`. */
  authorization: (origin: string) => Promise<string>
  post: Post
  log: PushLog
}

export interface PushLog {
  warn(context: object, message: string): void
}

export function createSendPush({ hosts, authorization, post, log }: SendPushDeps): SendPush {
  return async (subscription, payload) => {
    const { endpoint } = subscription
    const host = hostOf(endpoint, hosts)
    // The rest of the address is the browser's secret.
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
      const Authorization = await authorization(origin)
      const answer = await post(endpoint, { host, headers: { ...headers, Authorization }, body })
      const judged = judge(answer)
      if (judged.outcome !== 'sent') failed(judged.outcome, { status: answer.status, answer: answer.text })
      return judged
    } catch (error) {
      const outcome = error instanceof NotAllowed ? 'refused' : 'later'
      failed(outcome, { err: error })
      return outcome === 'refused' ? { outcome } : { outcome, afterMs: null }
    }
  }
}

/**
 * Returns the message as the browser reads it, with the headers that the push service needs (RFC 8291 and RFC 8030).
 */
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
    // The Topic makes a later notification about the same conversation replace an earlier one that still waits for the
    // browser.
    Topic: createHash('sha256').update(payload.tag).digest('base64url').slice(0, 32),
  }
  return { body, headers }
}

function judge({ status, pauseMs }: Answer): PushAnswer {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  if (status === 429) return { outcome: 'later', afterMs: pauseMs ?? WAIT_DEFAULT_MS }
  return status >= 500 ? { outcome: 'later', afterMs: pauseMs } : { outcome: 'refused' }
}
