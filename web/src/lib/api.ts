import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError, fromWireError } from '@proctorpass/shared/errors'
import { EMBED_PATH, paths } from '@proctorpass/shared/paths'
import { pageState } from './page-state.ts'
import { noteServerDate } from './server-clock.ts'

/** Ends the message of an unreachable server. Callers that do not retry replace it. */
export const RETRY_NOTE = "We'll keep trying."

/** The longest pause that a gateway may ask for. */
const GATEWAY_PAUSE_MAX_MS = 30_000

export interface CallOptions {
  method?: string
  /** Sent as JSON. */
  body?: unknown
  /** Bearer token. */
  token?: string
  /** Sent instead of a token. */
  visitorKey?: string
  signal?: AbortSignal
  /** Lets the request outlive the page. */
  keepalive?: boolean
  /** Called with the headers of a successful response, such as the Link of a list. */
  onHeaders?: (headers: Headers) => void
}

/**
 * Calls the REST API; `path` is relative to its prefix. Rejects with the server's AppError, with `unavailable` when
 * the API did not answer, and with the signal's reason when the caller aborted.
 */
export async function callApi<T>(path: string, options: CallOptions = {}): Promise<T> {
  const call = newCall(options.method)
  const headers = new Headers({ accept: 'application/json', [CALL_HEADER]: call.name })
  if (options.body !== undefined) headers.set('content-type', 'application/json')
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`)
  if (options.visitorKey !== undefined) headers.set('authorization', `Visitor ${options.visitorKey}`)

  let response: Response
  let text: string
  try {
    // What belongs to a site stands at the root.
    const prefix = path.startsWith(EMBED_PATH) ? '' : pageState().apiPrefix
    response = await fetch(prefix + path, {
      method: options.method,
      headers,
      body: JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
      credentials: needsCookie(path) ? 'include' : 'omit',
      cache: 'no-store',
      // The API redirects nothing: a gateway does, to its own page or to another call of ours.
      redirect: 'error',
    })
    text = await response.text()
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason
    throw unreachable(cause)
  }

  const body = bodyOf<T>(call, response, text)
  options.onHeaders?.(response.headers)
  return body
}

/** Calls that begin, refresh or end a session, and those that bring back the conversation of a frame. */
const needsCookie = (path: string) =>
  path.startsWith(paths.auth) || path === paths.invite || path.startsWith(EMBED_PATH)

/** One request, whose answer repeats its name. Reads have no method. */
export interface Call {
  name: string
  method: string | undefined
}

export const newCall = (method?: string): Call => ({
  name: crypto.getRandomValues(new Uint32Array(4)).join('-'),
  method,
})

export interface Answer {
  status: number
  headers: Pick<Headers, 'get'>
}

/**
 * Whether the server gave this answer, and gave it to this call: not a gateway, nor a cache that keeps the answer to
 * another one.
 */
export function isOurs({ name, method }: Call, { headers }: Answer): boolean {
  const repeated = headers.get(CALL_HEADER)
  return repeated === name || (!method && repeated === ANY_CALL)
}

/**
 * The JSON of a successful response; throws the AppError of any other. `what` was sent: an answer of 413 by a gateway is
 * about it, and final.
 */
export function bodyOf<T>(call: Call, answer: Answer, text: string, what = 'This'): T {
  const { status, headers } = answer
  if (isOurs(call, answer)) {
    noteServerDate(headers.get('date'))
    if (status === 204) return undefined as T
    const body = parseJson(text)
    if (status < 300 && body !== undefined) return body as T
    const error = fromWireError(body)
    if (error) throw error
  } else if (status === 413 && call.method)
    throw new AppError('too-large', `${what} is larger than this website's server accepts.`)
  const pause = Number(headers.get('retry-after')) * 1000 || 0
  throw unreachable(text.slice(0, 200), Math.min(pause, GATEWAY_PAUSE_MAX_MS))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function unreachable(cause: unknown, retryAfterMs?: number): AppError {
  const what = navigator.onLine ? "We can't reach the server." : 'You seem to be offline.'
  return new AppError('unavailable', `${what} ${RETRY_NOTE}`, { cause, retryAfterMs })
}
