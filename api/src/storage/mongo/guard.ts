import { asAppError, isSocketError, unavailable } from './outage.ts'

/** The methods of the port that only read: they may run twice. */
const READS: ReadonlySet<string> = new Set([
  'activity',
  'any',
  'counts',
  'dueSnoozes',
  'find',
  'findById',
  'findByInvite',
  'findByNonce',
  'findByName',
  'findBySlug',
  'idle',
  'labels',
  'list',
  'listOf',
  'open',
  'page',
  'pending',
  'progressOf',
  'ratings',
  'read',
  'record',
  'refersTo',
  'stale',
  'totalAdminUnread',
  'waits',
])

/**
 * Every call of the port passes a guard. It settles within a limit, also when the driver does not: the driver adds up its
 * own limits, and waits forever for a connection that closes while a command begins. An outage becomes AppError
 * `unavailable`. A read is repeated once where the driver fails to do so.
 */
export function openGuard(defaultWithinMs: number) {
  const pending = new Set<Promise<unknown>>()
  let isShut = false

  async function admit(call: Promise<unknown>): Promise<unknown> {
    pending.add(call)
    try {
      return await call
    } catch (error) {
      throw asAppError(error)
    } finally {
      pending.delete(call)
    }
  }

  return {
    /** The repository, with every method guarded. `withinMs` replaces the guard's own limit. */
    guard<T extends object>(repository: T, withinMs = defaultWithinMs): T {
      const entries = Object.entries(repository).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          if (isShut) throw unavailable()
          const call = () => (method as (...args: unknown[]) => Promise<unknown>)(...args)
          return admit(settledWithin(withinMs, READS.has(name) ? repeatedOnce(call) : call()))
        },
      ])
      return Object.fromEntries(entries) as T
    },

    /** Refuses further calls, and resolves once the admitted ones have settled. */
    async shut(): Promise<void> {
      isShut = true
      await Promise.allSettled(pending)
    },
  }
}

export type Guard = ReturnType<typeof openGuard>

async function repeatedOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isSocketError(error)) throw error
    return read()
  }
}

/** The call goes on in the background after the limit: it may still store what it should. */
async function settledWithin<T>(ms: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(new Error(`MongoDB did not answer within ${ms} ms`))), ms)
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}
