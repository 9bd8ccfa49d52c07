import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError, fromWireError } from '@proctorpass/shared/errors'
import { EMBED_PATH, paths } from '@proctorpass/shared/paths'
import { pageState } from './page-state.ts'
import { noteServerDate } from './server-clock.ts'

/** Ends an unreachable server's message. Callers that do not retry replace it. */
export const RETRY_NOTE = "We'll keep trying."

/** The longest pause that a gateway may ask for. */
const GATEWAY_PAUSE_MAX_MS = 30_000

export interface CallOptions {
  method?: string
  /** The body, which is sent as JSON. */
  body?: unknown
  /** A bearer token. */
  token?: string
  /** The visitor's key, which is sent instead of a token. */
  visitorKey?: string
  signal?: AbortSignal
  /** Whether the request may outlive the page. */
  keepalive?: boolean
  /** Receives a successful response's headers, such as a list's Link header. */
  onHeaders?: (headers: Headers) => void
}

/**
 * Calls the REST API. `path` is relative to the API's prefix. Rejects with the server's AppError, with `unavailable` if
 * the API did not answer, and with the signal's reason if the caller aborted.
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
    // Paths for embedded sites start at the root, without the API's prefix.
    const prefix = path.startsWith(EMBED_PATH) ? '' : pageState().apiPrefix
    response = await fetch(prefix + path, {
      method: options.method,
      headers,
      body: JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
      credentials: needsCookie(path) ? 'include' : 'omit',
      cache: 'no-store',
      // The API never redirects. A gateway may redirect to its own page, or to another of our calls.
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

/** Returns whether the call begins, refreshes, or ends a session, or brings back a frame's conversation. */
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
 * Returns whether our server gave this answer to this call. A gateway may answer instead, or a cache that has kept
 * another call's answer.
 */
export function isOurs({ name, method }: Call, { headers }: Answer): boolean {
  const repeated = headers.get(CALL_HEADER)
  return repeated === name || (!method && repeated === ANY_CALL)
}

/**
 * Returns a successful response's JSON, and throws the AppError of any other response. `what` names what was sent: if a
 * gateway answers 413, it refuses that for good.
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
