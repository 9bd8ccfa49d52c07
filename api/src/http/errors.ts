import { AppError, type ErrorCode, toWireError } from '@proctorpass/shared/errors'
import { ErrorSchema } from '@proctorpass/shared/schemas/error'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createOutageLog, logError } from './logging.ts'
import { REFUSALS_LISTED, type RefusalLog } from './refusal-log.ts'

/** Our messages for Fastify's own errors. */
const FRAMEWORK_ERRORS: Record<string, (request: FastifyRequest) => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => {
    const limit = (routeOptions.bodyLimit / 1_024).toLocaleString('en')
    return new AppError('too-large', `The request is too large: the limit is ${limit} KB.`)
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError('unsupported-media-type', 'Send JSON in UTF-8.'),
  FST_ERR_CTP_EMPTY_TYPE: () => new AppError('unsupported-media-type', 'Send JSON in UTF-8.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new AppError('invalid-input', 'The request is empty.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new AppError('invalid-input', "The request isn't valid JSON."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new AppError('invalid-input', 'The request is incomplete.'),
  FST_ERR_BAD_URL: () => new AppError('invalid-input', "This address isn't valid."),
  FST_ERR_MAX_PARAM_LENGTH: () => new AppError('uri-too-long', 'This address is too long.'),
}

/** Answers all errors over HTTP, and logs the unexpected ones. */
export function setErrors(app: FastifyInstance, refusals: RefusalLog): void {
  app.decorate('refusals', refusals)
  app.addSchema(ErrorSchema)
  app.decorateReply('refusedFor', null)
  app.decorate('logOutage', createOutageLog(app.log))

  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))

  // The routes are collected so that a wrong method is answered with 405 instead of 404.
  const routes: { method: string; parts: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    for (const verb of [method].flat()) routes.push({ method: verb, parts: url.split('/') })
  })

  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const methods = new Set(
      routes.filter(({ parts }) => matches(parts, path.split('/'))).map(({ method }) => method),
    )
    if (methods.size > 0 && !methods.has(request.method)) {
      reply.header('allow', [...methods].join(', '))
      return sendError(new AppError('method-not-allowed', "This method isn't allowed here."), request, reply)
    }
    return sendError(new AppError('not-found', 'There is nothing at this address.'), request, reply)
  })
}

/** Whether a path matches a route's pattern. */
function matches(route: string[], path: string[]): boolean {
  return (
    route.length === path.length &&
    route.every((part, index) => (part.startsWith(':') ? path[index] !== '' : part === path[index]))
  )
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = knownError(error, request)
  if (known === null) logError(request, error, 'unexpected error')
  else if (known.code === 'unavailable' && known.cause !== undefined) request.server.logOutage(known)
  else if (known.status >= 500 && known.cause !== undefined) logError(request, known, known.message)
  // These errors are expected, and a stopping server may answer thousands of them.
  else if (known.status >= 500 && request.server.refusals.mayList(`refused ${known.code}`, REFUSALS_LISTED)) {
    request.log.warn({ code: known.code }, known.message)
  }

  const wire = toWireError(known ?? error, request.id)
  reply.refusedFor = wire.code
  if (wire.retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(wire.retryAfterMs / 1_000))
  return (
    reply
      .code(known?.status ?? 500)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      // The answer is a string, because a serializer that refused it would answer in words of its own.
      .send(JSON.stringify(wire))
  )
}

function knownError(error: unknown, request: FastifyRequest): AppError | null {
  if (error instanceof AppError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const framework = code === undefined ? undefined : FRAMEWORK_ERRORS[code]
  if (framework) return framework(request)
  // The messages of other 4xx errors, from Fastify and plugins, may name internals.
  if (statusCode === 404) return new AppError('not-found', 'There is nothing at this address.')
  if (statusCode === 413) return new AppError('too-large', 'The request is too large.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid-input', "The request isn't valid.")
  }
  return null
}

declare module 'fastify' {
  interface FastifyInstance {
    logOutage: (error: AppError) => void
    refusals: RefusalLog
  }
  interface FastifyReply {
    /** The code of the error that was answered; null for other answers. */
    refusedFor: ErrorCode | null
  }
}
