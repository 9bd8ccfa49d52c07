import { asAppError, isSocketError, unavailable } from './outage.ts'

/** The storage methods that only read, which may therefore run twice. */
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
 * Opens the guard through which every call of the storage port passes. A call settles within a limit, even when the
 * driver does not settle: the driver adds up its own limits, and waits forever for a connection that closes while a
 * command begins. An outage becomes AppError `unavailable`. A read is repeated once where the driver fails to repeat
 * it.
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
    /** Returns the repository with every method guarded. `withinMs` replaces the guard's own limit. */
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

/** Rejects after the limit. The call continues in the background and may still store its data. */
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
