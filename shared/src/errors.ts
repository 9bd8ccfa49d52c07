/** Every error a caller can meet, with its HTTP status. `retryable` false: the same request can never succeed. */
export const ERRORS = {
  'invalid-input': { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  blocked: { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  'method-not-allowed': { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  /** The conversation was erased or restored since: read it again, then send with its new epoch. */
  'stale-epoch': { status: 409, retryable: false },
  'too-large': { status: 413, retryable: false },
  'uri-too-long': { status: 414, retryable: false },
  'unsupported-media-type': { status: 415, retryable: false },
  /** The request names a host that this server does not serve. */
  misdirected: { status: 421, retryable: false },
  'rate-limited': { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  unavailable: { status: 503, retryable: true },
  /** Only in a namespace's refusal: operations told every browser to poll. */
  'push-disabled': { status: 503, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>

export type ErrorCode = keyof typeof ERRORS

/** One field that was wrong: `field` is its name (or a JSON pointer without the first slash). */
export interface ErrorDetail {
  field: string
  message: string
}

/** The one shape of an error, over HTTP and over the socket. `message` is fit to show a person. */
export interface WireError {
  message: string
  code: ErrorCode
  details?: ErrorDetail[]
  retryable?: boolean
  retryAfterMs?: number
  requestId?: string
}

/** An error whose message may be shown. `cause` goes to the log only. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details
    this.retryAfterMs = options.retryAfterMs
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable
  }
}
