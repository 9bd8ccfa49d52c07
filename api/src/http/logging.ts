import type { AppError } from '@proctorpass/shared/errors'
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { ERRORS_LISTED, REFUSALS_LISTED, type RefusalLog, WRITES_LISTED } from './refusal-log.ts'
import { withoutValues } from './without-values.ts'

/**
 * Logs one line for each request. The line has the route's pattern instead of the address, because an address may
 * contain a clientId, which opens conversations without a key. Successful reads are logged only at debug, because
 * polling alone would fill a disk.
 * @see docs/decisions/0026-log-contents.md
 */
export class RequestLog extends LogController {
  /** Set after the server was created, because it uses the server's log. */
  refusals: RefusalLog | null = null

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(reply.refusedFor === null ? {} : { code: reply.refusedFor }),
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!error && isRead && reply.statusCode < 400) request.log.debug(line, 'request')
    else if (this.refusals?.mayList(...kindOf(error, line)) === false) return
    else if (error) request.log.error({ ...line, err: error }, 'request aborted')
    else request.log.info(line, 'request')
  }

  override routeNotFound(): void {}
}

interface RequestLine {
  method: string
  route: string
  status: number
  code?: string
}

function kindOf(
  error: Error | null,
  { method, route, status, code }: RequestLine,
): [kind: string, max: number] {
  if (error) return [`aborted ${method} ${route}`, ERRORS_LISTED]
  if (status < 400) return [`request ${method} ${route}`, WRITES_LISTED]
  return [`request ${code ?? status}`, code === 'rate-limited' ? 1 : REFUSALS_LISTED]
}

/** Logs a request's error with its stack, unless the same cause was logged often. */
export function logError(request: FastifyRequest, error: unknown, message: string): void {
  const { method, routeOptions, server } = request
  const { name, code = '' } = (error ?? {}) as { name?: string; code?: string | number }
  const cause = `error ${method} ${routeOptions.url ?? 'none'} ${name} ${code}`.trim()
  if (server.refusals.mayList(cause, ERRORS_LISTED)) request.log.error({ err: error }, message)
}

/** Serializers that keep addresses, headers, bodies, and values out of the log. */
export const LOG_SERIALIZERS = {
  req: ({ method }: { method: string }) => ({ method }),
  res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
  err: errorInLog,
  // At `trace` the multipart plugin logs all headers, including the token.
  busboyOptions: () => undefined,
}

const CAUSES_MAX = 3

type ErrorInLog = {
  type: string
  code?: string | number
  message: string
  stack: string
  cause?: ErrorInLog
}

/** Returns only these fields, because drivers attach their input to errors, up to whole documents. */
function errorInLog(error: unknown, depth = 0): ErrorInLog {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error', stack: '' }
  const { name, message, stack = '', code, cause } = error as Error & { code?: unknown }
  return {
    type: name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    message: withoutValues(message),
    stack: withoutValues(stack),
    ...(cause instanceof Error && depth < CAUSES_MAX ? { cause: errorInLog(cause, depth + 1) } : {}),
  }
}

/** Each cause of an outage is logged at once, and then at most once in this time, with a count. */
const OUTAGE_EVERY_MS = 10_000

/**
 * Logs in short why the store or the disk refuses calls, and each cause once per OUTAGE_EVERY_MS, because thousands of
 * stacks would fill the rest of the disk.
 */
export function createOutageLog(log: FastifyBaseLogger): (error: AppError) => void {
  const counts = new Map<string, { since: number; more: number }>()
  return (error) => {
    const cause = causeInShort(error.cause)
    const now = performance.now()
    const count = counts.get(cause)
    if (count !== undefined && now - count.since < OUTAGE_EVERY_MS) {
      count.more += 1
      return
    }
    // Causes come from drivers, which have few texts.
    if (counts.size >= 50) counts.clear()
    counts.set(cause, { since: now, more: 0 })
    log.error({ code: error.code, cause, more: count?.more ?? 0 }, error.message)
  }
}

function causeInShort(cause: unknown): string {
  if (!(cause instanceof Error)) return 'none'
  const { name, message } = cause
  const code = (cause as { errcode?: unknown }).errcode ?? (cause as { code?: unknown }).code
  return withoutValues(`${name}${code === undefined ? '' : ` ${code}`}: ${message}`).slice(0, 300)
}
