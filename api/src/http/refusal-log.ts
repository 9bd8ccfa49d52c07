import type { FastifyBaseLogger } from 'fastify'

const WINDOW_MS = 60_000
/**
 * Lines that are listed for each message and window, whatever their kinds are. A new log call is therefore bounded
 * without a kind.
 */
const LINES_LISTED = 300
/** The same limit for errors, because each has a stack. */
const ERROR_LINES_LISTED = 60
const ERROR_LEVEL = 50
const INFO_LEVEL = 30
/** Kinds come from fixed lists. If one does not, the rest of a window counts as one kind. */
const KINDS_MAX = 1_000
/**
 * Refused requests and commands that are listed for each code and window. They are enough to find a user's report by
 * its request ID.
 */
export const REFUSALS_LISTED = 60
/** Successful requests that are listed for each route and window. */
export const WRITES_LISTED = 60
/** Errors that are listed for each cause and window. Each has a stack of some KB. */
export const ERRORS_LISTED = 10

const LEFT_OUT = 'lines left out'

/**
 * Bounds the log lines whose number strangers control. Each window lists the first lines of each kind, and one line at
 * its end counts the others. Kinds come from fixed lists, such as routes and codes, so there are few of them.
 */
export class RefusalLog {
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #windowMs: number
  readonly #counts = new Map<string, { listed: number; more: number }>()
  #window: NodeJS.Timeout | undefined

  constructor(log: Pick<FastifyBaseLogger, 'info'>, windowMs = WINDOW_MS) {
    this.#log = log
    this.#windowMs = windowMs
  }

  /** Returns true for the first `max` lines of a kind in a window. */
  mayList(kind: string, max: number): boolean {
    this.#window ??= setTimeout(() => this.flush(), this.#windowMs).unref()
    const counted = this.#counts.has(kind) || this.#counts.size < KINDS_MAX ? kind : 'other kinds'
    const count = this.#counts.get(counted) ?? { listed: 0, more: 0 }
    this.#counts.set(counted, count)
    if (count.listed < max) count.listed += 1
    else count.more += 1
    return count.more === 0
  }

  /**
   * Whether the log takes a line. Each message is bounded, except at `debug` and `trace`, where operators asked for all
   * lines.
   */
  mayWrite(message: string, level: number): boolean {
    if (level < INFO_LEVEL || message === LEFT_OUT) return true
    return this.mayList(`line ${message}`, level >= ERROR_LEVEL ? ERROR_LINES_LISTED : LINES_LISTED)
  }

  /** Ends the window, and logs how many lines it left out. */
  flush(): void {
    clearTimeout(this.#window)
    this.#window = undefined
    const more = [...this.#counts].filter(([, count]) => count.more > 0)
    this.#counts.clear()
    if (more.length === 0) return
    this.#log.info({ more: Object.fromEntries(more.map(([kind, count]) => [kind, count.more])) }, LEFT_OUT)
  }
}
