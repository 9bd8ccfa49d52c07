import { AppError, ERRORS, type ErrorCode, fromWireError, messageOf } from '@proctorpass/shared/errors'
import { EMBED_PATH, paths } from '@proctorpass/shared/paths'
import { pageState } from './page-state.ts'
import { noteServerDate } from './server-clock.ts'

/** Ends the message of an unreachable server. Callers that do not retry replace it. */
export const RETRY_NOTE = "We'll keep trying."

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
  const headers = new Headers({ accept: 'application/json' })
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
    })
    noteServerDate(response.headers.get('date'))
    text = await response.text()
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason
    throw unreachable(cause)
  }

  const body = bodyOf<T>({ status: response.status, text, header: (name) => response.headers.get(name) })
  options.onHeaders?.(response.headers)
  return body
}

/** Calls that begin, refresh or end a session, and those that bring back the conversation of a frame. */
const needsCookie = (path: string) =>
  path.startsWith(paths.auth) || path === paths.invite || path.startsWith(EMBED_PATH)

export interface Answer {
  status: number
  text: string
  header: (name: string) => string | null
}

/** The JSON of a successful response; throws the AppError of any other. */
export function bodyOf<T>(answer: Answer): T {
  if (answer.status === 204) return undefined as T
  const body = parseJson(answer.text)
  // The API answers in JSON: with any status, this came from a proxy or a captive portal.
  if (body === undefined) throw unreachable(answer.text.slice(0, 200), retryAfterMs(answer))
  if (answer.status < 200 || answer.status > 299) throw toAppError(answer, body)
  return body as T
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function unreachable(cause?: unknown, retryAfterMs?: number): AppError {
  const what = navigator.onLine ? "We can't reach the server." : 'You seem to be offline.'
  return new AppError('unavailable', `${what} ${RETRY_NOTE}`, { cause, retryAfterMs })
}

/** With these a proxy says that it found no server. */
const GATEWAY_STATUSES = [502, 503, 504]

function toAppError(answer: Answer, body: unknown): AppError {
  const fallback = { code: codeOf(answer.status), retryAfterMs: retryAfterMs(answer) }
  const error = fromWireError(body, fallback)
  if (error !== null) return error
  if (GATEWAY_STATUSES.includes(answer.status)) return unreachable(answer.status, fallback.retryAfterMs)
  return new AppError(fallback.code, messageOf(body), fallback)
}

function codeOf(status: number): ErrorCode {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  return (
    codes.find((code) => ERRORS[code].status === status) ?? (status >= 500 ? 'unavailable' : 'invalid-input')
  )
}

function retryAfterMs(answer: Answer): number | undefined {
  const seconds = Number(answer.header('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
