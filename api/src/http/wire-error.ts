import { AppError, type ErrorDetail, type WireError } from '@proctorpass/shared/errors'

/**
 * What a caller is told of an error, over HTTP and over the socket. Whatever is no AppError becomes `internal`
 * and gives nothing away: log it beside the requestId.
 */
export function toWireError(error: unknown, requestId: string): WireError {
  const known =
    error instanceof AppError
      ? error
      : new AppError('internal', 'Something went wrong on our side. Please try again in a moment.')
  return {
    message: known.message,
    code: known.code,
    ...(known.details === undefined ? {} : { details: known.details }),
    retryable: known.retryable,
    ...(known.retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(known.retryAfterMs) }),
    requestId,
  }
}

/** A schema's complaint, as TypeBox and Ajv word it. */
export interface SchemaProblem {
  keyword: string
  instancePath: string
  params: unknown
  message?: string
}

/** The error for input that does not fit its schema, in words for a person. */
export function invalidInput(problems: readonly SchemaProblem[]): AppError {
  const details: ErrorDetail[] = []
  for (const problem of problems) {
    for (const detail of describe(problem)) {
      if (details.length < 10 && !details.some(({ field }) => field === detail.field)) details.push(detail)
    }
  }
  const [first] = details
  const message = first
    ? `${first.field === '' ? 'The input' : first.field} ${first.message}.`
    : 'The input is not valid.'
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
    case 'minLength':
      return [
        {
          field,
          message: facts.limit === 1 ? 'is required' : `must have at least ${facts.limit} characters`,
        },
      ]
    case 'maxLength':
      return [{ field, message: `must have at most ${facts.limit} characters` }]
    case 'minimum':
      return [{ field, message: `must be ${facts.limit} or more` }]
    case 'maximum':
      return [{ field, message: `must be ${facts.limit} or less` }]
    case 'pattern':
      return [{ field, message: 'does not have the right form' }]
    default:
      return [{ field, message: message ?? 'is not valid' }]
  }
}

const TYPES: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}
