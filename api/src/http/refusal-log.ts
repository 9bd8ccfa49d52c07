import type { FastifyBaseLogger } from 'fastify'

const WINDOW_MS = 60_000
/** Requests and commands that are refused, of each code in a window: a person who reports one is found by its id. */
export const REFUSALS_LISTED = 60

/** Kinds are words of ours, so that there are few. */
type Kind = string

/**
 * Bounds how many lines refusals make, because strangers decide how often they are refused. In each window the first
 * ones of a kind are listed; the others are counted, and one line says how many of each there were.
 */
export class RefusalLog {
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #windowMs: number
  readonly #counts = new Map<Kind, { listed: number; more: number }>()
  #window: NodeJS.Timeout | undefined

  constructor(log: Pick<FastifyBaseLogger, 'info'>, windowMs = WINDOW_MS) {
    this.#log = log
    this.#windowMs = windowMs
  }

  /** Whether this one may have a line of its own: the first `max` of its kind in a window. */
  mayList(kind: Kind, max: number): boolean {
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
      'more refused',
    )
  }
}
