import { MongoNetworkError, MongoNetworkTimeoutError } from 'mongodb'

/** Applies a step when its turn has come, and answers it. Without a scheduler, that is at once. */
export type Step = <T>(actor: string, what: () => string, apply: () => T) => Promise<T>

/**
 * How an attempt fails.
 * - `unsent`: the socket was closed. The driver passes on the socket's error, and repeats nothing.
 * - `before`: the connection was cut before the server got the step.
 * - `after`: the server applied the step, and the connection was cut before its answer.
 * - `late`: neither this attempt nor its repetition was answered, and the server applies the step later.
 */
export type Cut = 'unsent' | 'before' | 'after' | 'late'

export interface Conditions {
  step: Step
  /** Decides each attempt of a step when its turn has come. By default none fails. */
  cut?: (actor: string, what: () => string) => Cut | null
  /**
   * Whether the server is a replica set, as the default says. The driver then repeats a cut operation once: the first
   * batch of a read, and a write whose statements each change one document. The server recognizes a repeated write, and
   * answers what it has applied instead of applying it again.
   */
  isReplicated?: boolean
}

/** Who applies steps that came late. */
const LATE = 'a late write'

export type Calls = ReturnType<typeof openCalls>

/** The operations of one process, each of which is one step or several. */
export function openCalls({ step, cut, isReplicated = true }: Conditions, actor: string) {
  function attempt<T>(what: () => string, apply: () => T, later = () => {}): Promise<T> {
    return step(actor, what, () => {
      const how = cut?.(actor, what) ?? null
      if (how === 'unsent') throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
      if (how === 'before') throw new MongoNetworkError('The simulated connection was cut.')
      if (how === 'late') {
        later()
        throw new MongoNetworkTimeoutError('The simulated server did not answer in time.')
      }
      const result = apply()
      if (how === 'after') throw new MongoNetworkError('The simulated connection was cut.')
      return result
    })
  }

  return {
    /** Reads in one step. The driver does not repeat a read of a cursor's further batches. */
    read<T>(what: () => string, apply: () => T, isRepeated = true): Promise<T> {
      const once = () => attempt(what, apply)
      return isRepeated ? repeatedOnce(once) : once()
    },

    /** Writes one document in one step. */
    write<T>(what: () => string, apply: () => T): Promise<T> {
      return writeAll(what, { next: () => ({ done: true, value: apply() }) }, true)
    },

    /**
     * Writes several documents. Each of the statements, up to a yield of the generator, is a step: a server is not atomic
     * between two of them. `isRepeated` says whether the driver repeats the operation.
     */
    writeAll,
  }

  async function writeAll<T>(
    what: () => string,
    statements: Iterator<undefined, T>,
    isRepeated: boolean,
  ): Promise<T> {
    let end: { result: T } | undefined
    // A repeated write applies nothing again, because the statements have gone on.
    const advance = () => {
      if (end !== undefined) return
      const { done, value } = statements.next()
      if (done) end = { result: value }
    }
    async function rest(): Promise<void> {
      while (end === undefined) await step(LATE, what, advance)
    }
    async function all(): Promise<T> {
      for (;;) {
        await attempt(what, advance, () => void rest().catch(() => {}))
        if (end !== undefined) return end.result
      }
    }
    return isRepeated ? repeatedOnce(all) : all()
  }

  async function repeatedOnce<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      const isCut = error instanceof MongoNetworkError && !(error instanceof MongoNetworkTimeoutError)
      if (!isReplicated || !isCut) throw error
      return run()
    }
  }
}
