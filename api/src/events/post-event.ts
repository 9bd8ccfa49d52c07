import { ENDPOINT_ANSWER_MAX } from '@proctorpass/shared/limits'
import type { Seal } from '../credentials/sealed-text.ts'
import { NotAllowed } from '../outbound/addresses.ts'
import { type AllowedHost, hostOf } from '../outbound/hosts.ts'
import { type Answer, createPost } from '../outbound/post.ts'
import type { EndpointRecord } from '../storage/model/endpoints.ts'
import type { Storage } from '../storage/model/storage.ts'
import { signingSecrets, webhookHeaders } from './endpoint-secrets.ts'

const PAUSE_MAX_MS = 24 * 60 * 60 * 1_000
/**
 * The most connections to one host. Each endpoint has at most eight requests in flight, see `POSTS_AT_ONCE`, and
 * several endpoints can be on one host.
 */
const CONNECTIONS_MAX = 160
const ERROR_MAX = 200

/** A post's body. `id` is the header `webhook-id`. */
export interface Posted {
  id: string
  body: object
}

/** One request's outcome. If there was no answer, `status` is null and `error` says why. */
export interface Outcome extends Pick<Answer, 'pauseMs'> {
  status: number | null
  error: string | null
  /** The beginning of the body, as text that can be stored. */
  answer: string
}

interface PostEventDeps {
  storage: Pick<Storage, 'endpoints'>
  seal: Seal
  hosts: readonly AllowedHost[]
  now: () => number
}

/** Posts to an endpoint. Rejects only if `signal` aborted the request. Settles within 10 s. */
export type PostEvent = (endpoint: EndpointRecord, posted: Posted, signal: AbortSignal) => Promise<Outcome>

/** Creates a function that posts to an endpoint by Standard Webhooks 1.0. */
export function createPostEvent({ storage, seal, hosts, now }: PostEventDeps): PostEvent {
  const post = createPost({
    ...{ now, answerMax: ENDPOINT_ANSWER_MAX, pauseMaxMs: PAUSE_MAX_MS, readsSuccess: true },
    connectionsMax: CONNECTIONS_MAX,
  })

  /** Returns null if no secret can be read. */
  async function secretsOf(endpoint: EndpointRecord): Promise<string[] | null> {
    const { texts, resealed } = signingSecrets(seal, endpoint, now())
    if (resealed !== null) {
      await storage.endpoints.update(endpoint._id, { secrets: endpoint.secrets }, { secrets: resealed })
    }
    return texts.length === 0 ? null : texts
  }

  return async (endpoint, { id, body }, signal) => {
    const failed = (error: string): Outcome => ({ status: null, error, answer: '', pauseMs: null })
    const host = hostOf(endpoint.url, hosts)
    if (host === null) return failed('This host is no longer in WEBHOOK_HOSTS')
    const secrets = await secretsOf(endpoint)
    if (secrets === null) return failed('The secret was sealed with another JWT_SECRET. Create a new one.')
    const bytes = Buffer.from(JSON.stringify(body))
    const headers = {
      ...webhookHeaders(secrets, { id, at: now(), body: bytes }),
      ...{ 'content-type': 'application/json', 'content-length': bytes.length, 'user-agent': 'webhooks' },
    }
    try {
      const { status, text, pauseMs } = await post(endpoint.url, { host, headers, body: bytes, signal })
      const isTaken = status >= 200 && status < 300
      const isRedirect = status >= 300 && status < 400
      const error = isRedirect ? "The server doesn't follow redirects" : `Status ${status}`
      return { status, error: isTaken ? null : error, answer: storable(text), pauseMs }
    } catch (error) {
      if (signal.aborted) throw error
      return failed(reasonOf(error))
    }
  }
}

/** Removes the control characters that a page or a store would not accept. */
function storable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '\ufffd')
}

function reasonOf(error: unknown): string {
  if (error instanceof NotAllowed) {
    return 'The host leads to a private address. The operator can allow it in WEBHOOK_HOSTS'
  }
  const { name = '', message = '', code } = error as Error & { code?: string }
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return 'No response within 10 seconds'
  return storable(code === undefined ? message : `${code}: ${message}`).slice(0, ERROR_MAX)
}
