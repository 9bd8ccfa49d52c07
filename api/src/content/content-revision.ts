import type { ContentRevisionRepository } from '../storage/model/storage.ts'

/** How often the stored revision is read, to notice other processes' changes. */
const POLL_MS = 500

/**
 * Notifies caches of posts and reviews when this process or another one changes them.
 * @param stored null where no other process can change the content
 * @see docs/decisions/0023-content-revision.md
 */
export function createContentRevision(stored: ContentRevisionRepository | null) {
  const listeners: (() => void)[] = []
  let current: string | null = null
  // This is true at the start, because the last process may have died between a change and its advance.
  let mustAdvance = true
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function notify(): void {
    for (const listener of listeners) listener()
  }

  async function advance(): Promise<void> {
    mustAdvance = false
    try {
      await stored?.advance()
    } catch {
      // The next poll retries. While the store is away, other processes cannot read the change either.
      mustAdvance = true
    }
  }

  async function poll(): Promise<void> {
    if (mustAdvance) await advance()
    try {
      const read = (await stored?.read()) ?? null
      if (read !== current) notify()
      current = read
    } catch {
      // Caches stay valid while the store is away, and the next successful poll compares again.
    }
    if (!closed) timer = setTimeout(poll, POLL_MS).unref()
  }

  if (stored !== null) void poll()

  return {
    /**
     * Call this when a change is stored, and await it before answering. From then on this process reads the new
     * content, and the other processes do within a second. Never rejects.
     */
    async changed(): Promise<void> {
      notify()
      await advance()
    },
    subscribe(listener: () => void): void {
      listeners.push(listener)
    },
    /** Stops polling. */
    close(): void {
      closed = true
      clearTimeout(timer)
    },
  }
}

export type ContentRevision = ReturnType<typeof createContentRevision>
