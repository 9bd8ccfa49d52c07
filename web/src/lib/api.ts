import { AppError, ERRORS, type ErrorCode, fromWireError, NO_MESSAGE } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import { pageState } from './page-state.ts'

/** Ends the message of an unreachable server. Callers that do not retry replace it. */
export const RETRY_NOTE = 'We keep trying.'

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
    response = await fetch(pageState().apiPrefix + path, {
      method: options.method ?? 'GET',
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
      // Only auth calls need the refresh cookie.
      credentials: path.startsWith(paths.auth) ? 'include' : 'omit',
      cache: 'no-store',
    })
    text = await response.text()
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason
    throw unreachable(cause)
  }

  const body = bodyOf<T>({ status: response.status, text, header: (name) => response.headers.get(name) })
  options.onHeaders?.(response.headers)
  return body
}

export interface Answer {
  status: number
  text: string
  header: (name: string) => string | null
}

/** The JSON of a successful response; throws the AppError of any other. */
export function bodyOf<T>(answer: Answer): T {
  const body = parseJson(answer.text)
  if (answer.status < 200 || answer.status > 299) throw toAppError(answer, body)
  // A captive portal answers 200 with HTML.
  if (body === undefined && answer.status !== 204) throw unreachable(answer.text.slice(0, 200))
  return body as T
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function unreachable(cause?: unknown): AppError {
  const what = navigator.onLine ? 'We cannot reach the server.' : 'You seem to be offline.'
  return new AppError('unavailable', `${what} ${RETRY_NOTE}`, { cause })
}

function toAppError(answer: Answer, body: unknown): AppError {
  const fallback = { code: codeOf(answer.status), retryAfterMs: retryAfterMs(answer) }
  const error = fromWireError(body, fallback)
  if (error !== null) return error
  // A proxy answered in place of the API.
  if (answer.status >= 500) return unreachable(answer.status)
  return new AppError(fallback.code, (body as { message?: string } | null)?.message ?? NO_MESSAGE, fallback)
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
