import type { AppError } from '@proctorpass/shared/errors'
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { REFUSALS_LISTED, type RefusalLog } from './refusal-log.ts'

/**
 * One line for each request, with the pattern of its route: an address may hold a clientId, which names a person's
 * conversation and opens those that have no key.
 * What only reads and goes well is for debugging; a polling browser alone would fill a disk.
 */
export class RequestLog extends LogController {
  /** Set once there is a log to write to. */
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
    if (error) request.log.error({ ...line, err: error }, 'request broken off')
    else if (request.method === 'GET' && reply.statusCode < 400) request.log.debug(line, 'request')
    else if (reply.statusCode >= 400 && this.refusals?.mayList(...refusalOf(reply)) === false) return
    else request.log.info(line, 'request')
  }

  override routeNotFound(): void {}
}

function refusalOf({ refusedFor, statusCode }: FastifyReply): [kind: string, max: number] {
  return [`request ${refusedFor ?? statusCode}`, refusedFor === 'rate-limited' ? 1 : REFUSALS_LISTED]
}

/** What each kind of thing looks like in the log: without addresses, headers, bodies and values. */
export const LOG_SERIALIZERS = {
  req: ({ method }: { method: string }) => ({ method }),
  res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
  err: errorInLog,
  // At `trace` the reader of forms would tell every header, the token among them.
  busboyOptions: () => undefined,
}

/** Deeper causes than this explain nothing. */
const CAUSES_MAX = 3

type ErrorInLog = {
  type: string
  code?: string | number
  message: string
  stack: string
  cause?: ErrorInLog
}

/** Only these fields: drivers hang what they were given to their errors, down to whole documents. */
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

/** The causes of an outage are logged at once and then once in this time, with how many there were. */
const OUTAGE_EVERY_MS = 10_000

/**
 * Logs why the store or the disk refuses calls: in short, and each cause once in OUTAGE_EVERY_MS. Every refused call
 * is an outage's symptom, and thousands of stacks would fill the rest of the disk.
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
    // Causes come from drivers: a handful of texts.
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

/**
 * A driver's words without what people and operators gave it: passwords in addresses, values of a duplicate key,
 * client ids, visitors' keys and tokens.
 */
export function withoutValues(text: string): string {
  return text
    .replace(/\/\/[^\s/]*@/g, '//***@')
    .replace(/dup key: .*/g, 'dup key')
    .replace(/[\w.-]+/g, (run) => (looksLikeToken(run) ? '***' : run))
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '***')
    .replace(/\b[A-Za-z0-9]{20}\b/g, '***')
}

/** At least three parts between dots, a long one after the second dot. */
function looksLikeToken(run: string): boolean {
  return run.split('.').some((part, index) => index >= 2 && part.length >= 20)
}
