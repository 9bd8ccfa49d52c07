import type { FastifyBaseLogger } from 'fastify'

const WINDOW_MS = 60_000
/** Refused requests and commands listed per code and window; a user's report is found by its request id. */
export const REFUSALS_LISTED = 60
/** Successful requests listed per route and window. */
export const WRITES_LISTED = 60
/** Errors listed per cause and window: each has a stack of some KB. */
export const ERRORS_LISTED = 10

/**
 * Bounds the log lines whose number strangers control. In each window the first of each kind are listed, and one line at
 * its end counts the others. Kinds come from fixed lists, such as routes and codes, so there are few.
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

  /** True for the first `max` of a kind in a window. */
  mayList(kind: string, max: number): boolean {
    this.#window ??= setTimeout(() => this.flush(), this.#windowMs).unref()
    const count = this.#counts.get(kind) ?? { listed: 0, more: 0 }
    this.#counts.set(kind, count)
    if (count.listed < max) count.listed += 1
    else count.more += 1
    return count.more === 0
  }

  /** Ends the window. */
  flush(): void {
    clearTimeout(this.#window)
    this.#window = undefined
    const more = [...this.#counts].filter(([, count]) => count.more > 0)
    this.#counts.clear()
    if (more.length === 0) return
    this.#log.info(
      { more: Object.fromEntries(more.map(([kind, count]) => [kind, count.more])) },
      'lines left out',
    )
  }
}
