import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb'
import type { MemoryReplicas } from './memory-mongo-replicas.ts'

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
  /**
   * Whether the majority gets each write in a step of its own, after which the write is answered. Until then, reads with
   * the read concern `majority` do not see the write, and a failover undoes it. By default the majority has it at once.
   */
  commitsApart?: boolean
  /** Decides for each document that is written or removed whether the disk refuses it. By default none does. */
  isFull?: () => boolean
}

/** Who applies steps that came late. */
export const LATE = 'a late write'

export type Calls = ReturnType<typeof openCalls>

/**
 * Names IDs by the order in which they appear. They are in the trace of a seed, and a process counts them on from one
 * simulation to the next.
 */
export class IdNames {
  readonly #names = new Map<string, string>()

  shorten(text: string): string {
    // An ID that the end of the text cuts off cannot be known again.
    return text.replace(/\b[0-9a-f]{1,23}…$/, '…').replace(/\b[0-9a-f]{24}\b/g, (id) => {
      const name = this.#names.get(id) ?? `ID ${this.#names.size + 1}`
      this.#names.set(id, name)
      return name
    })
  }
}

/** The operations of one process, each of which is one step or several. */
export function openCalls(
  { step: schedule, cut, isReplicated = true }: Conditions,
  { replicas, names }: { replicas: MemoryReplicas; names: IdNames },
  actor: string,
) {
  const step: Step = (by, what, apply) => schedule(by, () => names.shorten(what()), apply)

  function attempt<T>(what: () => string, apply: () => T, later = () => {}): Promise<T> {
    return step(actor, what, () => {
      const how = cut?.(actor, what) ?? null
      if (how === 'unsent') throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
      if (how === 'before') throw cutError()
      if (how === 'late') {
        later()
        throw new MongoNetworkTimeoutError('The simulated server did not answer in time.')
      }
      const result = apply()
      if (how === 'after') throw cutError()
      return result
    })
  }

  function expectTerm(term: number): void {
    if (term !== replicas.term) throw new MongoNetworkError('The simulated primary has stepped down.')
  }

  /** A write as the server knows it. A repeated write goes on with it, and so applies nothing again. */
  function openWrite<T>(statements: Iterator<undefined, T>) {
    const write = { term: replicas.term, position: 0, end: undefined as (() => T) | undefined }
    function advance(): void {
      expectTerm(write.term)
      if (write.end !== undefined) return
      try {
        const { done, value } = statements.next()
        if (done) write.end = () => value
      } catch (error) {
        if (!(error instanceof MongoServerError)) throw error
        write.end = () => {
          throw error
        }
      }
      // A server also waits for what a write has seen that changed nothing or was refused.
      write.position = replicas.written
    }
    return { write, advance }
  }

  async function writeAll<T>(
    what: () => string,
    begin: () => Iterator<undefined, T>,
    isRepeated: boolean,
    isSingle = false,
  ): Promise<T> {
    let run: ReturnType<typeof openWrite<T>> | null = null

    async function rest({ write, advance }: ReturnType<typeof openWrite<T>>): Promise<void> {
      while (write.end === undefined) await step(LATE, what, advance)
      replicas.commit(write.position)
    }

    async function all(): Promise<T> {
      const opened = () => {
        run ??= openWrite(begin())
        return run
      }
      for (;;) {
        await attempt(
          what,
          () => opened().advance(),
          () => void rest(opened()).catch(() => {}),
        )
        const { write } = opened()
        if (write.end === undefined) continue
        const commit = () => {
          expectTerm(write.term)
          replicas.commit(write.position)
        }
        if (replicas.isApart) await step(actor, () => `commit ${what()}`, commit)
        return write.end()
      }
    }

    if (!isRepeated) return all()
    return repeatedOnce(all, () => {
      const { write } = run ?? {}
      if (write === undefined || write.term === replicas.term) return true
      if (!replicas.isLost(write.term, write.position)) write.term = replicas.term
      else if (isSingle) run = null
      // Which of several documents the new primary has is not kept, as if the repetition had failed too.
      else return false
      return true
    })
  }

  async function repeatedOnce<T>(run: () => Promise<T>, mayRepeat = () => true): Promise<T> {
    try {
      return await run()
    } catch (error) {
      const isCut = error instanceof MongoNetworkError && !(error instanceof MongoNetworkTimeoutError)
      if (!isReplicated || !isCut || !mayRepeat()) throw error
      return run()
    }
  }

  return {
    get term(): number {
      return replicas.term
    },

    /** Reads in one step. `term` is that of a cursor's first batch. The driver does not repeat the further batches. */
    read<T>(what: () => string, apply: () => T, term?: number): Promise<T> {
      if (term === undefined) return repeatedOnce(() => attempt(what, apply))
      return attempt(what, () => {
        expectTerm(term)
        return apply()
      })
    },

    /** Writes one document in one step. */
    write<T>(what: () => string, apply: () => T): Promise<T> {
      return writeAll(what, () => ({ next: () => ({ done: true, value: apply() }) }), true, true)
    },

    /**
     * Writes several documents. Each of the statements, up to a yield of the generator, is a step: a server is not atomic
     * between two of them. `isRepeated` says whether the driver repeats the operation.
     */
    writeAll: <T>(what: () => string, statements: Iterator<undefined, T>, isRepeated: boolean) =>
      writeAll(what, () => statements, isRepeated),
  }
}

function cutError(): MongoNetworkError {
  return new MongoNetworkError('The simulated connection was cut.')
}
