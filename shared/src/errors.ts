/** Every error code with its HTTP status. Unless a code is retryable, the same request can never succeed. */
export const ERRORS = {
  'invalid-input': { status: 400 },
  unauthorized: { status: 401 },
  /** A website's token for a visitor is not valid. The code is the same for every reason. */
  'bad-identity': { status: 401 },
  forbidden: { status: 403 },
  /** This session was confirmed too long ago for this request. The admin must confirm their identity first. */
  'confirm-required': { status: 403 },
  /** Every admin needs a second factor, and this one has none yet. */
  'factor-required': { status: 403 },
  blocked: { status: 403 },
  'not-found': { status: 404 },
  'method-not-allowed': { status: 405 },
  conflict: { status: 409 },
  /**
   * The conversation was erased or restored in the meantime. The client must read it again, then send with its new
   * epoch.
   */
  'stale-epoch': { status: 409 },
  /** Events after the given one are no longer kept. */
  'too-old': { status: 410 },
  'too-large': { status: 413 },
  'uri-too-long': { status: 414 },
  'unsupported-media-type': { status: 415 },
  /** The request names a host that this server does not serve. */
  misdirected: { status: 421 },
  'rate-limited': { status: 429, retryable: true },
  /** The conversation already has as many files as it may have. */
  'too-many-files': { status: 429 },
  /** The server has no space for the file. The client may send the same text without it. */
  'storage-full': { status: 507 },
  internal: { status: 500, retryable: true },
  unavailable: { status: 503, retryable: true },
  /** Only namespaces answer with this, after the operator has switched every browser to polling. */
  'push-disabled': { status: 503, retryable: true },
} as const satisfies Record<string, { status: number; retryable?: true }>

export type ErrorCode = keyof typeof ERRORS

/** The text to show for an error without its own message. */
export const NO_MESSAGE = 'something went wrong'

/** A field that was wrong. `field` is its name, or a JSON pointer without the first slash. */
export interface ErrorDetail {
  field: string
  message: string
}

/** The only shape of an error, over HTTP and over the socket. `message` may be shown to a person. */
export interface WireError {
  message: string
  code: ErrorCode
  details?: ErrorDetail[]
  retryable?: boolean
  retryAfterMs?: number
  requestId?: string
}

/** An error whose message may be shown to a person. `cause` goes only to the log. */
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
    return 'retryable' in ERRORS[this.code]
  }
}

/**
 * Creates the error for wrong fields. Each message stands beside its field, and the first one also stands for the whole
 * form.
 */
export function fieldErrors(
  details: ErrorDetail[],
  { code = 'invalid-input', cause }: { code?: ErrorCode; cause?: unknown } = {},
): AppError {
  return new AppError(code, details[0]?.message ?? "The input isn't valid.", { details, cause })
}

export function fieldError(
  field: string,
  message: string,
  options?: { code?: ErrorCode; cause?: unknown },
): AppError {
  return fieldErrors([{ field, message }], options)
}

/** Creates the error for a change to another version than the stored one. */
export function changedMeanwhile(subject: string): AppError {
  const message = `Someone else saved ${subject} while you were editing. Your changes aren't saved yet. Compare both versions first.`
  return fieldError('version', message, { code: 'conflict' })
}

/**
 * Encodes an error for a caller. Anything but an AppError becomes `internal` and reveals nothing, so log it beside the
 * requestId.
 */
export function toWireError(error: unknown, requestId: string): WireError {
  const known =
    error instanceof AppError
      ? error
      : new AppError('internal', 'Something went wrong on our end. Try again in a moment.')
  return {
    message: known.message,
    code: known.code,
    ...(known.details === undefined ? {} : { details: known.details }),
    retryable: known.retryable,
    ...(known.retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(known.retryAfterMs) }),
    requestId,
  }
}

/**
 * Decodes what `toWireError` made. Returns null for anything else, such as a proxy's answer. If a newer server sends a
 * code that an older page does not have, `retryable` decides.
 */
export function fromWireError(body: unknown): AppError | null {
  const { code, message, requestId, details, retryAfterMs, retryable } = (body ?? {}) as Partial<WireError>
  if (![code, message, requestId].every((text) => text && typeof text === 'string')) return null
  const otherwise = retryable === false ? 'invalid-input' : 'internal'
  const known = Object.hasOwn(ERRORS, code as string) ? (code as ErrorCode) : otherwise
  return new AppError(known, message as string, {
    details: Array.isArray(details) ? details : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
  })
}

/** A schema violation, as TypeBox and Ajv report it. */
export interface SchemaProblem {
  keyword: string
  instancePath: string
  params: unknown
  message?: string
}

const SCHEMA_DETAILS_MAX = 10
const ONE_OF = 'must be "'

/** Creates the error for input that does not fit its schema, worded for a person. */
export function invalidInput(problems: readonly SchemaProblem[]): AppError {
  const details: ErrorDetail[] = []
  for (const detail of problems.flatMap(describe)) {
    const known = details.find(({ field }) => field === detail.field)
    if (known === undefined) details.push(detail)
    // A field that allows one of several values reports each value as a separate problem.
    else if (known.message.startsWith(ONE_OF) && detail.message.startsWith(ONE_OF)) {
      known.message += ` or ${detail.message.slice(ONE_OF.length - 1)}`
    }
    if (details.length === SCHEMA_DETAILS_MAX) break
  }
  const [first] = details
  const message = first
    ? `${first.field === '' ? 'The input' : first.field} ${first.message}.`
    : "The input isn't valid."
  return new AppError('invalid-input', message, { details })
}

function describe({ keyword, instancePath, params, message }: SchemaProblem): ErrorDetail[] {
  const field = instancePath.replace(/^\//, '').slice(0, 100)
  const facts = params as Record<string, unknown>
  switch (keyword) {
    case 'required': {
      const missing = (facts.requiredProperties ?? [facts.missingProperty]) as string[]
      return missing.map((name) => ({
        field: field === '' ? name : `${field}/${name}`,
        message: 'is required',
      }))
    }
    case 'type':
      return [{ field, message: `must be ${TYPES[String(facts.type)] ?? String(facts.type)}` }]
    case 'minLength': {
      const missing = facts.limit === 1
      return [{ field, message: missing ? 'is required' : `must have at least ${facts.limit} characters` }]
    }
    case 'maxLength':
      return [{ field, message: `must have at most ${facts.limit} characters` }]
    case 'minimum':
      return [{ field, message: `must be ${facts.limit} or more` }]
    case 'maximum':
      return [{ field, message: `must be ${facts.limit} or less` }]
    case 'minItems':
      return [
        {
          field,
          message: facts.limit === 1 ? 'must not be empty' : `must have at least ${facts.limit} entries`,
        },
      ]
    case 'maxItems':
      return [{ field, message: `must have at most ${facts.limit} entries` }]
    case 'const':
      return [{ field, message: `must be ${JSON.stringify(facts.allowedValue)}` }]
    case 'pattern':
      return [{ field, message: 'has the wrong format' }]
    case 'boolean':
      return [{ field, message: "isn't a known field" }]
    // Each unknown field has a problem of its own.
    case 'additionalProperties':
      return []
    case 'anyOf':
      return [{ field, message: "isn't valid" }]
    default:
      return [{ field, message: message ?? "isn't valid" }]
  }
}

const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}
